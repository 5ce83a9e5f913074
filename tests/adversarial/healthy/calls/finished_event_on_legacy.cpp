// Rank 0 has an all-reduce on a blocking stream. The legacy stream then waits for an event that is
// long past, which is no work. Then rank 0 tells rank 1 on another blocking stream, after 900 ms of
// other work there. Only then does rank 1 come.
// Naive view: the wait for the event comes between the two streams.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two(cudaStreamDefault);
  cudaStream_t other = make_stream(cudaStreamDefault);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  all_reduce(two.second, two.on_second, two.y);
  check(cudaEventRecord(event, two.on_second));
  check(cudaEventSynchronize(event));
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamWaitEvent(nullptr, event, 0));
    hold_for_long(other);
    check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 0, two.second, other));
    check(cudaStreamSynchronize(other));
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
