// A stream is captured, and between two all-reduces the program takes away what the second would
// depend on. The ranks name the two communicators in different orders.
// Naive view: what one stream captured is a line of calls; two lines in different orders hang.
// Expected: completes, for the graph has two branches.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  cudaGraphExec_t step = captured(two.on_first, [&] {
    const bool turned = rank() == 1;
    all_reduce(turned ? two.second : two.first, two.on_first, two.x);
    check(cudaStreamUpdateCaptureDependencies(two.on_first, nullptr, nullptr, 0,
                                              cudaStreamSetCaptureDependencies));
    all_reduce(turned ? two.first : two.second, two.on_first, two.x);
  });
  if (rank() == 0) pause_ms(300);
  check(cudaGraphLaunch(step, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
