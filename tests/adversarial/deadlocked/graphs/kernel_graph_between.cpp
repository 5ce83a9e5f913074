// Rank 0 captures two all-reduces on one stream, with a small graph launched in between: a line.
// Rank 1 makes them eagerly in the other order and waits after each. Naive view: a graph that is
// launched into a capture makes branches. Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    cudaGraphExec_t sets =
        captured(two.on_first, [&] { check(cudaMemsetAsync(two.x, 0, 64, two.on_first)); });
    cudaGraphExec_t step = captured(two.on_first, [&] {
      all_reduce(two.first, two.on_first, two.x);
      check(cudaGraphLaunch(sets, two.on_first));
      all_reduce(two.second, two.on_first, two.y);
    });
    check(cudaGraphLaunch(step, two.on_first));
  } else {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
