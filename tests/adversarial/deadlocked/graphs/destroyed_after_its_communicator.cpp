// Rank 0 destroys a communicator before the graph that contains one of its all-reduces. The call
// waits until no graph does. Rank 1 destroys them in the right order, and waits for rank 0 in the
// destruction of the other communicator.
// Naive view: all members have made the call, so it ends.
// Expected: deadlock of rank 0 with itself; rank 1 is a victim.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = deadlock("self", {0})};

int program(int, char**) {
  const Two two;
  cudaGraphExec_t step =
      captured(two.on_first, [&] { all_reduce(two.first, two.on_first, two.x); });
  check(cudaGraphLaunch(step, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  if (rank() == 1) check(cudaGraphExecDestroy(step));
  check(ncclCommDestroy(two.first));
  if (rank() == 0) check(cudaGraphExecDestroy(step));
  check(ncclCommDestroy(two.second));
  return 0;
}
