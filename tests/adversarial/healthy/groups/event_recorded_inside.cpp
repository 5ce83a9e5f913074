// In an open group an event is recorded on the stream of the group's own all-reduce, and waited
// for. It stands in front of the all-reduce. Naive: the mark is taken behind what was only called.
// Rank 1 comes to its all-reduce only when rank 0, behind its group, has sent it a message; so what
// rank 0 seems to wait for inside the group waits for rank 0.
// Must be said: completes. Must not: deadlock; a group enqueues nothing before its end.
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
