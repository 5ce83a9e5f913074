// Hosts that make connections before they enqueue an operation: that needs the calls of the others,
// but not their streams.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Has a thread in such a call need what its operation connects with. `ledger` may be null.
void wait_for_connections(WaitGraph& graph, const Ledger* ledger, Index thread);

}  // namespace gridlock::detect
