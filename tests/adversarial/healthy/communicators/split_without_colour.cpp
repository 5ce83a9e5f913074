// Rank 2 takes part in a split without a color and gets no communicator; the others get one. Later
// rank 2 sleeps while they use it, and all meet again on the parent.
// Naive view: rank 2 is a member of the child and never calls it.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  ncclComm_t two = nullptr;
  check(ncclCommSplit(world, rank() == 2 ? NCCL_SPLIT_NOCOLOR : 5, rank(), &two, nullptr));
  if (two != nullptr) {
    if (rank() == 1) pause_ms(150);
    all_reduce(two, stream, data);
  } else {
    pause_ms(400);
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
