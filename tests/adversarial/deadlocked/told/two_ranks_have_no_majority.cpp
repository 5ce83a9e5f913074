// Of two ranks one waits in a broadcast, the other in an all-reduce, at the same slot.
// Must not be said: that one does not do what "most ranks" do.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("mismatch", {0, 1}), .says_not = {"most ranks"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 0) {
    all_reduce(world, stream, data);
  } else {
    check(ncclBroadcast(data, data, 512, ncclFloat, 0, world, stream));
  }
  check(cudaStreamSynchronize(stream));
  return 0;
}
