// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// it calls cudaEventSynchronize of an event that was recorded after the receive, and again on
// another stream, where a host function runs. Only the newest record counts.
// Naive view: the first mark is kept.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event));
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    check(cudaEventRecord(event, two.on_first));
    hold(two.on_second);
    check(cudaEventRecord(event, two.on_second));
    check(cudaEventSynchronize(event));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
