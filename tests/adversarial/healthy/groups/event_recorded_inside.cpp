// In an open group, rank 0 records an event on the stream of the group's all-reduce and waits for
// it. The record comes before the all-reduce, which is not enqueued yet. Rank 1 reaches its
// all-reduce only when rank 0, after its group, has sent it a message. So the all-reduce that rank
// 0 seems to wait for inside the group itself waits for rank 0.
// Naive view: the mark is placed after an operation that was only called.
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
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event));
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x);
    check(cudaEventRecord(event, two.on_first));
    check(cudaEventSynchronize(event));
    check(ncclGroupEnd());
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
