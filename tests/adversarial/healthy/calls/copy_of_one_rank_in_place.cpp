// Behind an all-reduce on the legacy stream, rank 0 makes an all-reduce of one rank in place on a
// blocking stream, and waits for that stream. NCCL enqueues nothing for it.
// Naive view: the call is work, which waits for the legacy stream. So would a mark behind it.
// Expected: completes.
#include "tests/adversarial/setup/alone.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  ncclComm_t own = alone_in(two.first);
  const cudaStream_t blocking = make_stream(cudaStreamDefault);
  float* data = device_floats();
  all_reduce(two.first, two.on_first, two.x);
  two.be_told(0);
  check(cudaDeviceSynchronize());
  if (rank() == 0) {
    all_reduce(two.first, nullptr, two.x);
    all_reduce(own, blocking, data);
    check(cudaStreamSynchronize(blocking));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, nullptr, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
