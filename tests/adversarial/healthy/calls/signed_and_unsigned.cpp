// One rank sums int32, the other uint32: the same bits.
// Naive view: the types differ, so the numbers are wrong.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  check(
      ncclAllReduce(data, data, 16, rank() == 0 ? ncclInt32 : ncclUint32, ncclSum, world, stream));
  check(cudaStreamSynchronize(stream));
  return 0;
}
