// Which message of NCCL waits for which.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Has every message in flight need its other side: a receive its send, a send the receive that
// makes room where the buffer does not hold all that was sent. `ledger` may be null.
void need_messages(WaitGraph& graph, const Ledger* ledger, Hosts hosts);

// Of messages to one peer that it has not taken, oldest first: how many of them it must take before
// each can be sent whole, where it takes them in order and `buffer_bytes` lie ready for it.
std::vector<std::size_t> taken_before(std::span<const std::uint64_t> bytes,
                                      std::uint64_t buffer_bytes);

}  // namespace gridlock::detect
