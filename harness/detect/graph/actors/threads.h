// What host threads wait for in recorded calls.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Whether the thread's call waits for work on its device.
bool waits_for_device(const record::Thread& thread);

// Has the threads of `process` need what their calls wait for. `ledger` may be null.
void need_threads(WaitGraph& graph, const Ledger* ledger, Hosts hosts, Index process);

}  // namespace gridlock::detect
