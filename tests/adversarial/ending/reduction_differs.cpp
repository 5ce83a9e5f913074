// Rank 2 reduces with max while the others sum. Nothing hangs or fails, but the numbers are wrong
// on all ranks.
// Naive view: the job ended with code 0, so it completes.
// Expected: corrupts (mismatch), rank 2 differs.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = ends("corrupts", "mismatch", {2}), .ranks = 4};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < 3; ++step) {
    check(ncclAllReduce(data, data, 64, ncclFloat, rank() == 2 ? ncclMax : ncclSum, world, stream));
  }
  check(cudaStreamSynchronize(stream));
  return 0;
}
