// Groups: what one does on one communicator runs as one, on whatever streams it was called.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Puts the operations of `process` into parts, which end the graph's list. What was called alone is
// in no part. REQUIRES: no process behind it is added.
void find_parts(WaitGraph& graph, Index process);

// Orders what belongs to parts: within one, between the parts of a group, and with their streams.
void need_parts(WaitGraph& graph);

// Lets a part be past, whatever it needs.
void let_pass(WaitGraph& graph, Index part);

}  // namespace gridlock::detect
