// In a group, an all-reduce of one rank goes onto a blocking stream, and then work onto the legacy
// stream, which waits for the host. The host waits for the blocking stream first.
// Naive view: the group's calls are behind the legacy stream's work. But the first one is a copy,
// which NCCL enqueues in the call.
// Expected: completes.
#include "tests/adversarial/setup/alone.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t own = alone_in(world);
  const cudaStream_t blocking = make_stream(cudaStreamDefault);
  float* data = device_floats();
  all_reduce(world, blocking, data);
  copy(own, blocking, data);
  check(cudaDeviceSynchronize());
  static Gate gate;
  check(ncclGroupStart());
  copy(own, blocking, data);
  gate.close(nullptr);
  check(ncclGroupEnd());
  check(cudaStreamSynchronize(blocking));
  gate.open();
  check(cudaDeviceSynchronize());
  all_reduce(world, blocking, data);
  check(cudaDeviceSynchronize());
  return 0;
}
