// Communicator calls in which members wait for each other: init, split, finalize, destroy, abort.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Puts all threads that wait in the same call of the same communicator into one gathering.
void find_gatherings(WaitGraph& graph);
// Has each gathering need the members that have not made the call.
void need_gatherings(WaitGraph& graph);
// Has a thread need its gathering and, if the call closes the communicator, what is under way on
// it.
void wait_for_gathering(WaitGraph& graph, Index thread);

}  // namespace gridlock::detect
