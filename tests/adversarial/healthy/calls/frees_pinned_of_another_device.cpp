// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// it frees pinned memory that was allocated on another device. The call waits for that device,
// where a host function runs.
// Naive view: the call waits for the current device.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    void* staging = nullptr;
    check(cudaSetDevice(3));
    check(cudaMallocHost(&staging, 4096));
    hold_for_long(make_stream());
    check(cudaSetDevice(0));
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    check(cudaFreeHost(staging));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
