// All but rank 2 split the world; rank 2 waits in a collective on it.
// Expected: deadlock, rank 2 is missing.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {2}), .ranks = 4};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  ncclComm_t pair = nullptr;
  if (rank() != 2) check(ncclCommSplit(world, rank() % 2, rank(), &pair, nullptr));
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
