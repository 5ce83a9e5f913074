// Rank 1 splits the communicator that it has with rank 0, for a feature that rank 0 has switched
// off. All but rank 1 go on to the world's all-reduce.
// Naive view: rank 1 alone is missing there, so it is to blame.
// Expected: deadlock; ranks 0 and 1 wait for each other.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}), .ranks = 4};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t pair = nullptr;
  check(ncclCommSplit(world, rank() / 2, rank(), &pair, nullptr));
  cudaStream_t stream = make_stream();
  float* x = device_floats();
  all_reduce(world, stream, x);
  all_reduce(pair, stream, x);
  check(cudaStreamSynchronize(stream));
  ncclComm_t sub = nullptr;
  if (rank() == 1) check(ncclCommSplit(pair, 0, 0, &sub, nullptr));
  all_reduce(world, stream, x);
  check(cudaStreamSynchronize(stream));
  return 0;
}
