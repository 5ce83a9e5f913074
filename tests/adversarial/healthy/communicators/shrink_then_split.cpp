// Ranks 0 to 2 shrink the world without rank 3; later all four split the world they still have.
// Naive: calls on the parent are counted, and rank 3, which was never meant to shrink, is one
// behind. Must be said: completes. Must not: a deadlock with nobody to blame.
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
