// In the last step rank 1 leaves out the receive of a large message from rank 0 and goes on to the
// all-reduce, as rank 2 does.
// Naive view: rank 0 alone is missing in the all-reduce, so it is to blame.
// Expected: deadlock; ranks 0 and 1 wait for each other.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}), .ranks = 3};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* x = device_floats(8 << 20);
  for (int step = 0; step < 3; ++step) {
    if (rank() == 0) check(ncclSend(x, 8 << 20, ncclFloat, 1, world, stream));
    if (rank() == 1 && step < 2) check(ncclRecv(x, 8 << 20, ncclFloat, 0, world, stream));
    all_reduce(world, stream, x);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
