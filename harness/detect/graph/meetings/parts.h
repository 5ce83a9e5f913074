// Groups: what one group does on one communicator runs as a unit, whatever streams it uses.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Puts the operations of `process` into parts and appends these to the graph. An operation that was
// called alone is in no part. REQUIRES: no later process is added yet.
void find_parts(WaitGraph& graph, Index process);

// Orders operations within a part, the parts of a group, and parts with their streams.
void need_parts(WaitGraph& graph);

// Makes a part past, whatever it needs.
void let_pass(WaitGraph& graph, Index part);

}  // namespace gridlock::detect
