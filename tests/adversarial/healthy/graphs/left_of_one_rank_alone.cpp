// A communicator of one rank is destroyed before its graph: its calls are copies, and NCCL does not
// watch the graph. The ranks meet on another communicator later.
// Naive view: a graph is left, so the destroy waits for it.
// Expected: completes.
#include "tests/adversarial/setup/alone.h"
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  ncclComm_t own = alone_in(two.first);
  cudaGraphExec_t step = captured(two.on_first, [&] { copy(own, two.on_first, two.x); });
  check(cudaGraphLaunch(step, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  check(ncclCommDestroy(own));
  pause_ms(100);
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  check(cudaGraphExecDestroy(step));
  return 0;
}
