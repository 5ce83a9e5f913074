// Eight ranks in two groups of four, whose first ranks broadcast a batch to their group. Rank 0
// leaves this out once and goes on to the world's all-reduce.
// Naive view: ranks 1 to 3 are missing there, so they are to blame.
// Expected: deadlock; rank 0 is to blame, for which they wait.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {0}), .ranks = 8};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t tensor = nullptr;
  check(ncclCommSplit(world, rank() / 4, rank(), &tensor, nullptr));
  cudaStream_t stream = make_stream();
  float* x = device_floats();
  for (int step = 0; step < 4; ++step) {
    if (!(rank() == 0 && step == 2)) check(ncclBroadcast(x, x, 64, ncclFloat, 0, tensor, stream));
    all_reduce(world, stream, x, 1);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
