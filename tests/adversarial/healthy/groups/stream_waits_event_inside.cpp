// In an open group, rank 0 records an event on the group's stream, makes a second stream wait for
// it, and synchronizes the second stream before the group ends. Rank 1 reaches its all-reduce only
// when rank 0, after its group, has sent it a message. So the all-reduce that rank 0 seems to wait
// for inside the group itself waits for rank 0.
// Naive view: the event's mark covers the all-reduce.
// Expected: completes.
// Must not say: deadlock; a group enqueues nothing before its end.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  } else {
    hold(two.on_first);
    cudaStream_t other = make_stream();
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event));
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x);
    check(cudaEventRecord(event, two.on_first));
    check(cudaStreamWaitEvent(other, event, 0));
    check(cudaStreamSynchronize(other));
    check(ncclGroupEnd());
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
