// Behind an all-reduce on the legacy stream, rank 0 sends to itself on a blocking stream, from
// where it receives, and waits for that stream. NCCL drops both messages. Naive view: the group is
// work, which waits for the legacy stream. Expected: completes.
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
    check(ncclGroupStart());
    check(ncclSend(data, 8, ncclFloat, 0, own, blocking));
    check(ncclRecv(data, 8, ncclFloat, 0, own, blocking));
    check(ncclGroupEnd());
    check(cudaStreamSynchronize(blocking));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, nullptr, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
