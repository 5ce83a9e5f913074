// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// it calls cudaEventSynchronize of an event on a non-blocking stream. The receive, on a blocking
// stream, holds up the default stream meanwhile.
// Naive view: the default stream orders all others.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two(cudaStreamDefault);
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    check(cudaMemsetAsync(two.x + 100, 0, 64, nullptr));  // behind the receive
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event));
    hold(two.on_second);
    check(cudaEventRecord(event, two.on_second));
    check(cudaEventSynchronize(event));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
