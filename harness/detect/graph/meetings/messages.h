// Which NCCL message waits for which.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Has every message in flight need its other side: a receive needs its send; a send needs the
// receive that makes room for it, if the buffer cannot hold everything that was sent. `ledger` may
// be null.
void need_messages(WaitGraph& graph, const Ledger* ledger, Hosts hosts);

// For messages that a peer has not taken, oldest first: how many of them the peer must take, in
// order, before each message fits `buffer_bytes` completely.
std::vector<std::size_t> taken_before(std::span<const std::uint64_t> bytes,
                                      std::uint64_t buffer_bytes);

}  // namespace gridlock::detect
