// Rank 0's graph has all-reduces of the first communicator, the second, and the first again. Ranks
// 1 and 2 make the same calls eagerly and wait after each. Rank 2's host is late for the second.
// Naive view: rank 0 gets to the second communicator when it is done with all calls on the first,
// for which rank 1 will never come.
// Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    cudaGraphExec_t step = captured(two.on_first, [&] {
      all_reduce(two.first, two.on_first, two.x);
      all_reduce(two.second, two.on_first, two.x);
      all_reduce(two.first, two.on_first, two.x, 512);
    });
    check(cudaGraphLaunch(step, two.on_first));
  } else {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    if (rank() == 2) pause_ms(400);
    all_reduce(two.second, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.first, two.on_first, two.x, 512);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
