// Rank 0 launches one graph, which only sets memory, behind an all-reduce on one stream, and then
// on another stream, before the broadcast there. CUDA runs the launches of one graph one after the
// other, so the broadcast comes after the all-reduce, which rank 1 makes only after the broadcast.
// Naive view: nothing on the second stream holds the broadcast back.
// Expected: deadlock; a cycle of both. A graph's launch shows nothing of what it waits for, so it
// may be a stall.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).or_as("stall", "cycle", {0, 1}),
                            .options = {"--stall-limit", "3s"}};

int program(int, char**) {
  const Two two;
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  cudaGraphExec_t sets =
      captured(two.on_first, [&] { check(cudaMemsetAsync(two.x, 0, 64, two.on_first)); });
  all_reduce(two.first, two.on_first, two.x);
  check(cudaGraphLaunch(sets, two.on_first));
  check(cudaGraphLaunch(sets, two.on_second));
  two.tell();
  check(cudaDeviceSynchronize());
  return 0;
}
