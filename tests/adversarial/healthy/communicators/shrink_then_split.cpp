// Ranks 0 to 2 shrink the world without rank 3; later all four split the world they still have.
// Naive view: calls on the parent are counted, so rank 3, which was not to take part in the shrink,
// is one behind.
// Expected: completes.
// Must not say: a deadlock with nobody to blame.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 4};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  int excluded = 3;
  ncclComm_t three = nullptr;
  if (rank() != 3) {
    check(ncclCommShrink(world, &excluded, 1, &three, nullptr, NCCL_SHRINK_DEFAULT));
    all_reduce(three, stream, data);
  }
  if (rank() == 2) pause_ms(400);
  ncclComm_t pair = nullptr;
  check(ncclCommSplit(world, rank() % 2, rank(), &pair, nullptr));
  all_reduce(pair, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
