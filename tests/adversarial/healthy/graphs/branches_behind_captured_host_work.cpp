// As empty_graph_launched_into_a_branch, but the graph that is launched into the branch calls a
// host function, which opens rank 0's way to the second all-reduce late. Naive view: after the
// launch, all that was captured counts as captured on the second stream. Expected: completes.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    cudaGraphExec_t host = captured(two.on_first, [&] {
      check(cudaLaunchHostFunc(
          two.on_first, [](void*) { pause_ms(900); }, nullptr));
    });
    cudaGraphExec_t step = captured(two.on_first, [&] {
      after(two.on_second, two.on_first);
      all_reduce(two.first, two.on_first, two.x);
      check(cudaGraphLaunch(host, two.on_second));
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
