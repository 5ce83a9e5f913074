// The graphs have two all-reduces of the first communicator and one of the second: rank 0's between
// the two, rank 1's behind both.
// Naive view: as in a group, the communicator that was named first goes first with all its calls.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  cudaGraphExec_t step = captured(two.on_first, [&] {
    all_reduce(two.first, two.on_first, two.x);
    if (rank() == 0) all_reduce(two.second, two.on_first, two.x);
    all_reduce(two.first, two.on_first, two.x);
    if (rank() == 1) all_reduce(two.second, two.on_first, two.x);
  });
  check(cudaGraphLaunch(step, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
