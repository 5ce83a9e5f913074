// Experts exchange tokens. In the last step rank 2 believes that it has none for rank 1, and sends
// nothing; rank 1 expects some. All others go on to an all-reduce.
// Naive view: rank 1 alone is missing there, so it is to blame.
// Expected: deadlock; ranks 1 and 2 wait for each other.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {1, 2}), .ranks = 4};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* x = device_floats(4096);
  float* y = device_floats(4096);
  for (int step = 0; step < 3; ++step) {
    check(ncclGroupStart());
    for (int p = 0; p < ranks(); ++p) {
      if (!(step == 2 && rank() == 2 && p == 1))
        check(ncclSend(x, 256, ncclFloat, p, world, stream));
      check(ncclRecv(y, 256, ncclFloat, p, world, stream));
    }
    check(ncclGroupEnd());
    all_reduce(world, stream, x);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
