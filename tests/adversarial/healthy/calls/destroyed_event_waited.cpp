// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// it calls cudaStreamSynchronize of a stream that waits for an event. The event was recorded on a
// held stream and then destroyed, and its handle was reused for a record after the receive. The
// stream still waits for the first record.
// Naive view: the stream waits for what the handle marks now.
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
    hold(two.on_second);
    check(cudaEventRecord(event, two.on_second));
    cudaStream_t other = make_stream();
    check(cudaStreamWaitEvent(other, event, 0));
    check(cudaEventRecord(event, two.on_first));
    check(cudaStreamSynchronize(other));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
