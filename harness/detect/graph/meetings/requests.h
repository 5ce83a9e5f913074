// Threads that wait for requests of MPI.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Finds the streams of `process` that its threads wait for, and since when.
void find_awaited(WaitGraph& graph, Index process);
// Has a thread in one of MPI's wait calls need all of its requests, or one of them.
void wait_for_requests(WaitGraph& graph, Index thread);

}  // namespace gridlock::detect
