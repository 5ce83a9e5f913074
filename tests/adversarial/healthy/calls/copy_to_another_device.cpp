// Rank 0 has posted a receive whose answer depends on what it sends next. Between the two it calls
// cudaMemcpy to memory of another device, on whose legacy stream a host function runs; the current
// device's legacy stream waits for the blocking stream of the receive.
// Naive: the copy waits for the current device's streams.
// Must be said: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    const float host[16] = {};
    check(cudaSetDevice(3));
    float* elsewhere = device_floats();
    check(cudaSetDevice(rank()));
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    check(cudaSetDevice(3));
    hold(nullptr);
    check(cudaMemcpy(elsewhere, host, sizeof host, cudaMemcpyHostToDevice));
    check(cudaSetDevice(rank()));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
