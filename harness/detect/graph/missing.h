// Whom the ranks at a point wait for.
#pragma once

#include "harness/detect/graph/points.h"

namespace gridlock::detect {

// Sets all of `point` but its kind, place and waiting ranks. REQUIRES: these are set.
void find_missing(const WaitGraph& graph, Point& point);

// The rank has left the communicator, or can make no call any more.
bool never_calls(const WaitGraph& graph, Index entry);

const WaitGraph::Operation& operation_of_message(const WaitGraph& graph, Index message);

}  // namespace gridlock::detect
