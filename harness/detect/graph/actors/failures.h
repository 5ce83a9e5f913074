// Kernels that may fail, which ends every wait for their device.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// With Parameters::strict: has `process` act if a kernel of its devices may fail, and it may be
// told. REQUIRES: need_threads() has said which of its threads wait.
void let_kernels_fail(WaitGraph& graph, Index process);

// Whether unrecorded work may still run on a device of the process, and a thread may be told if it
// fails: in front of what a stream shows in flight, or behind what may still come to pass there.
// All work on the device then ends, and all waits for it return an error. REQUIRES: the graph is
// built.
bool kernels_may_fail(const WaitGraph& graph, Index process);

}  // namespace gridlock::detect
