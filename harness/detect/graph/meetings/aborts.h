// Members that an abort lets go: the real NCCL's kernel then posts the steps that are left, without
// data, so the others' kernels end as well, with wrong numbers.
//   Source  NCCL 2.28.9, src/device/prims_simple.h (genericOp, checkAbort)
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Adds the nodes that let_aborts_free() needs. Returns the first of them in `alternatives`, or
// kNoIndex if no process runs the real NCCL.
Index add_aborts(WaitGraph& graph);

// A collective or message also ends if a member that has its own side of it in flight aborts, and
// so if that member can act. One that has aborted may have let the others go already.
//   first  add_aborts() has returned it
void let_aborts_free(WaitGraph& graph, Index first);

}  // namespace gridlock::detect
