// Both ranks receive in one group before they send in the next.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  check(ncclGroupStart());
  check(ncclRecv(data, 8, ncclFloat, 1 - rank(), world, stream));
  check(ncclGroupEnd());
  check(ncclGroupStart());
  check(ncclSend(data, 8, ncclFloat, 1 - rank(), world, stream));
  check(ncclGroupEnd());
  check(cudaStreamSynchronize(stream));
  return 0;
}
