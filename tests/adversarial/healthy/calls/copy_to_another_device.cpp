// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// it calls cudaMemcpy to memory on another device, whose legacy stream runs a host function. The
// current device's legacy stream waits for the receive's blocking stream.
// Naive view: the copy waits for the current device's streams.
// Expected: completes.
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
