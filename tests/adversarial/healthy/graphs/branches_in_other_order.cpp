// Both ranks' graphs have two branches, with a communicator each. Rank 0 captures the first branch
// first, rank 1 the second. Branches run beside each other, so the order of capture means nothing.
// Naive view: the communications of a graph run in the order of their calls, like a group's.
// Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  cudaGraphExec_t step = captured(two.on_first, [&] {
    after(two.on_second, two.on_first);
    if (rank() == 0) hold(two.on_first);
    if (rank() == 0) all_reduce(two.first, two.on_first, two.x);
    all_reduce(two.second, two.on_second, two.y);
    if (rank() == 1) all_reduce(two.first, two.on_first, two.x);
    after(two.on_first, two.on_second);
  });
  for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(step, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
