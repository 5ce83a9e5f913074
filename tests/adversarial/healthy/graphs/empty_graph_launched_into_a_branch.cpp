// Rank 0 captures all-reduces of two communicators on two branches. Into the second branch it first
// launches a small graph that computes for a while. Rank 1 makes the same calls eagerly, in the
// other order, and waits after each. Naive view: after the launch, all that was captured counts as
// captured on the second stream, so one all-reduce follows the other. Expected: completes, for the
// graph has two branches.
#include <gridlock_sim/launch.h>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    cudaGraphExec_t computes =
        captured(two.on_first, [&] { check(sim::launch(two.on_first, [] { pause_ms(900); })); });
    cudaGraphExec_t step = captured(two.on_first, [&] {
      after(two.on_second, two.on_first);
      all_reduce(two.first, two.on_first, two.x);
      check(cudaGraphLaunch(computes, two.on_second));
      all_reduce(two.second, two.on_second, two.y);
      after(two.on_first, two.on_second);
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
