// The operations in flight of one process: a walk over its snapshot.
#pragma once

#include "harness/detect/graph/survey.h"
#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Adds the operations of `process`, its messages, and what they say about slots and events.
// REQUIRES: its streams are added, and no later process is.
void add_operations(WaitGraph& graph, Index process, Survey& survey);

}  // namespace gridlock::detect
