// Kernels that may fail, which ends every wait for their device.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// With Parameters::strict: has `process` act if a kernel of a device for which it waits may fail.
// REQUIRES: need_threads() has said which of its threads wait.
void let_kernels_fail(WaitGraph& graph, Index process);

// Whether unrecorded work may still run on a device for which a thread of the process waits: in
// front of what a stream shows in flight, or behind what may still come to pass there. If it fails,
// all work on the device ends, and the wait returns an error.
// REQUIRES: the graph is built.
bool kernels_may_fail(const WaitGraph& graph, Index process);

}  // namespace gridlock::detect
