// The two sides of one message: each side is found by its number.
#pragma once

#include <cstdint>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// What is known of one side of a message.
struct Arrival {
  enum Kind : std::uint8_t { past, in_flight, not_called } kind = past;
  Index message = kNoIndex;  // if the snapshot shows it
};

// Message number `number` that `entry` sends to (or receives from) `peer`. If the snapshot shows no
// message of the pair, `ledger` (may be null) says whether there were any.
Arrival find_message(const WaitGraph& graph, const Ledger* ledger, Index entry, std::int32_t peer,
                     std::uint64_t number, bool sends);

}  // namespace gridlock::detect
