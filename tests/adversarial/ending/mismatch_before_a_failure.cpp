// Rank 2 reduces with max while the others sum, on a communicator without a name. Later it fails.
// Expected: fails, with the mismatch of rank 2 as the cause.
// Must not say: "slot 0 of :".
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = ends("fails", "mismatch", {2}), .ranks = 4, .says_not = {" of :"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const ncclRedOp_t op = rank() == 2 ? ncclMax : ncclSum;
  check(ncclAllReduce(data, data, 64, ncclFloat, op, world, stream));
  check(cudaStreamSynchronize(stream));
  return rank() == 2 ? 9 : 0;
}
