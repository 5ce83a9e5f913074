// Streams about which too little is known to say that they stand still.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Lets everything be past that the polled streams of `process` show in flight, because their
// progress is out of date. If no CUDA call of the process is seen, this holds for all its streams.
// REQUIRES: all other needs are set, so that nothing undoes this.
void let_unseen_pass(WaitGraph& graph, Index process);

}  // namespace gridlock::detect
