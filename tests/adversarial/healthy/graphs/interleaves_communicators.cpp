// Rank 0's graph has an all-reduce of one communicator, a long kernel, one of the other, and a
// second one of the first, as of tensor and data groups. Rank 1 makes the same calls eagerly, and
// waits after each of them.
// Naive view: as in a group, the communicator that was named first goes first with all its calls.
// Expected: completes.
#include <gridlock_sim/launch.h>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    cudaGraphExec_t step = captured(two.on_first, [&] {
      all_reduce(two.first, two.on_first, two.x);
      check(sim::launch(two.on_first, [] { pause_ms(400); }));
      all_reduce(two.second, two.on_first, two.x);
      all_reduce(two.first, two.on_first, two.x, 512);
    });
    check(cudaGraphLaunch(step, two.on_first));
  } else {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.first, two.on_first, two.x, 512);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
