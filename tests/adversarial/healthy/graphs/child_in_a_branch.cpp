// A graph that one stream captured is launched into a branch of another capture, while that stream
// captures the other branch. The ranks name the two communicators in different orders, and the
// third comes late. Naive view: both all-reduces were captured on the same stream, so one follows
// the other. Expected: completes, for the graph has two branches.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  const Two two;
  const bool turned = rank() == 1;
  cudaGraphExec_t part = captured(
      two.on_first, [&] { all_reduce(turned ? two.second : two.first, two.on_first, two.x); });
  cudaStream_t origin = make_stream();
  cudaStream_t branch = make_stream();
  cudaGraphExec_t step = captured(origin, [&] {
    after(branch, origin);
    after(two.on_first, origin);
    check(cudaGraphLaunch(part, branch));
    all_reduce(turned ? two.first : two.second, two.on_first, two.y);
    after(origin, branch);
    after(origin, two.on_first);
  });
  if (rank() == 2) pause_ms(900);
  check(cudaGraphLaunch(step, origin));
  check(cudaStreamSynchronize(origin));
  return 0;
}
