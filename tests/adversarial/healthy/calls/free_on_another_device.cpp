// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// it calls cudaFree of memory on another device. The call waits for that device, where a host
// function runs.
// Naive view: the call waits for the current device.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    check(cudaSetDevice(3));
    float* elsewhere = device_floats();
    cudaStream_t there = make_stream();
    hold(there);
    check(cudaSetDevice(rank()));
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    check(cudaFree(elsewhere));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
