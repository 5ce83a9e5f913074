// A graph is captured from a group whose calls name two communicators by turns: first, second,
// first. The other rank's group names the second one last.
// Naive view: what one stream captured is a line of calls, so the orders differ.
// Expected: completes, for within a group NCCL runs one communicator after the other.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  cudaGraphExec_t step = captured(two.on_first, [&] {
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x);
    if (rank() == 0) all_reduce(two.second, two.on_first, two.x);
    all_reduce(two.first, two.on_first, two.x);
    if (rank() == 1) all_reduce(two.second, two.on_first, two.x);
    check(ncclGroupEnd());
  });
  check(cudaGraphLaunch(step, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
