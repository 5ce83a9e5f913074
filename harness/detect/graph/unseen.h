// Streams of which too little is seen to say that they stand still.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Lets all that the polled streams of `process` show in flight be past: nobody has looked at them
// for too long. Where the process shows no call of CUDA that holds for all its streams.
// REQUIRES: all other needs are set, so that nothing takes this back.
void let_unseen_pass(WaitGraph& graph, Index process);

}  // namespace gridlock::detect
