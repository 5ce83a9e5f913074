// An all-reduce is on a blocking stream of rank 0's device. With another device current, an
// all-reduce of one rank goes onto the default stream: it is a copy, and so it is that device's.
// Then another blocking stream of the first device is waited for.
// Naive view: a communicator's work is on its device, and the default stream of that waits for the
// blocking streams.
// Expected: completes.
#include "tests/adversarial/setup/alone.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two(cudaStreamDefault);
  ncclComm_t own = alone_in(two.first);
  const int device = number_from("LOCAL_RANK");
  const int other = device + trial.ranks;
  const cudaStream_t blocking = make_stream(cudaStreamDefault);
  float* data = device_floats();
  check(cudaSetDevice(other));
  check(cudaDeviceSynchronize());
  check(cudaSetDevice(device));
  all_reduce(two.first, two.on_first, two.x);
  two.be_told(0);
  check(cudaDeviceSynchronize());
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaSetDevice(other));
    copy(own, nullptr, data);
    check(cudaStreamSynchronize(nullptr));
    check(cudaSetDevice(device));
    check(cudaMemsetAsync(data, 0, 4, blocking));
    check(cudaStreamSynchronize(blocking));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
