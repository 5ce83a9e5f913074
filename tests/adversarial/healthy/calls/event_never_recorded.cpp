// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// it calls cudaEventSynchronize and cudaStreamWaitEvent of an event that was never recorded, so
// they do not wait. An earlier event, perhaps with the same handle, was recorded after the receive
// and destroyed.
// Naive view: the handle still has the old mark.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event));
    check(cudaEventRecord(event, two.on_first));
    check(cudaEventDestroy(event));
    check(cudaEventCreate(&event));
    check(cudaStreamWaitEvent(two.on_second, event, 0));
    hold(two.on_second);
    check(cudaEventSynchronize(event));
    check(cudaStreamSynchronize(two.on_second));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
