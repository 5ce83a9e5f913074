// Rank 1 skips an all-reduce of four ranks, and waits for the next broadcast by rank 0. The
// others launch a kernel for the first time, beside the all-reduce, and so wait in the launch.
// Naive view: who is in a launch is stuck in host code.
// Expected: deadlock; rank 1 is missing.
#include "tests/adversarial/setup/unloaded_kernel.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {1}).assuming("launch"), .ranks = 4};

int program(int, char**) {
  const Two two;
  const UnloadedKernel kernel;
  cudaStream_t side = make_stream();
  if (rank() != 1) {
    all_reduce(two.first, two.on_first, two.x);
    kernel.launch(side);
    check(cudaStreamSynchronize(side));
  }
  check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 0, two.second, two.on_second));
  check(cudaStreamSynchronize(two.on_second));
  if (rank() == 1) all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
