// Hosts that make connections before they enqueue an operation. This needs the other ranks' calls,
// but not their streams.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Has a thread in such a call need those that its operation connects to. `ledger` may be null.
void wait_for_connections(WaitGraph& graph, const Ledger* ledger, Index thread);

// Whether the process died in the call, so that nobody will ever be connected to it.
bool died_connecting(const WaitGraph& graph, const WaitGraph::Operation& operation);

}  // namespace gridlock::detect
