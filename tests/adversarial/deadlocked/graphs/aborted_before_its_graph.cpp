// Both ranks abort their communicator while a graph contains its all-reduce, as a server does that
// shuts down.
// Naive view: an abort ends everything, so nobody waits in it.
// Expected: deadlock; each rank waits until it destroys its own graph.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = deadlock("self", {0, 1})};

int program(int, char**) {
  const Two two;
  cudaGraphExec_t step =
      captured(two.on_first, [&] { all_reduce(two.first, two.on_first, two.x); });
  check(cudaGraphLaunch(step, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  check(ncclCommAbort(two.first));
  check(cudaGraphExecDestroy(step));
  return 0;
}
