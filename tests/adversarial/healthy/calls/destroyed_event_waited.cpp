// Rank 0 has posted a receive whose answer depends on what it sends next. Between the two it calls
// cudaStreamSynchronize of a stream that waits for an event, recorded on a held stream and
// destroyed and its handle used for another record behind the receive. The wait keeps what it
// waited for. Naive: the wait is for what the handle marks now. Must be said: completes.
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
