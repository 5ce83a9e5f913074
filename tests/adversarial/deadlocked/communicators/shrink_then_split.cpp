// Ranks 0 to 2 shrink the world without rank 3; later they split the world, and rank 3 waits in a
// collective on it instead.
// Naive view: cause "none", with nobody to blame.
// Expected: deadlock, rank 3 is missing in the split.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {3}).or_as("deadlock", "cycle", {3}),
                            .ranks = 4};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  int excluded = 3;
  ncclComm_t three = nullptr;
  if (rank() != 3) {
    check(ncclCommShrink(world, &excluded, 1, &three, nullptr, NCCL_SHRINK_DEFAULT));
    ncclComm_t pair = nullptr;
    check(ncclCommSplit(world, rank() % 2, rank(), &pair, nullptr));
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
