// Who can wake a thread that sleeps outside recorded calls.
#pragma once

#include <cstdint>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Gives two nodes to every process that was looked at in the kernel, and to all processes of a
// host.
void find_stirrers(WaitGraph& graph, Hosts hosts);

// Whose doing may end a sleep: one's that stirs, the same but for launchers that only nap, or only
// one's that works (WaitGraph::works).
enum class Wakes : std::uint8_t { who_stirs, but_napping_launchers, who_works };

// `node`, a thread of `process` that sleeps, needs one of its wakers to stir or to work. A process
// that was not looked at counts as able to. Its own process must work. REQUIRES: the node's need
// is 1.
void need_waker(WaitGraph& graph, const record::Sleep& sleep, record::ProcessKey process,
                NodeId node, Wakes wakes);

}  // namespace gridlock::detect
