// There is an `if rank == 0: barrier()` at the start. From then on, calls of different steps pair
// and complete, with wrong numbers and no error. The hang comes at the end, where rank 0 is one
// call ahead.
// Expected: deadlock, with the first slot at which the ranks disagree (0), not the rank that left
// last.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("mismatch", {0}).or_as("deadlock", "rank_exited", {0}),
    .ranks = 4,
    .says = {"slot 0"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 0) check(ncclAllReduce(data, data, 256, ncclInt32, ncclSum, world, stream));
  for (int step = 0; step < 5; ++step) {
    check(ncclAllReduce(data, data, 256, ncclFloat, ncclSum, world, stream));
    check(ncclAllReduce(data, data, 256, ncclFloat, ncclMax, world, stream));
  }
  check(cudaStreamSynchronize(stream));
  return 0;
}
