// Rank 0 synchronizes the stream of an open group's all-reduce inside the group. Rank 1 reaches its
// all-reduce only when rank 0, after its group, has sent it a message. So the all-reduce that rank
// 0 seems to wait for inside the group itself waits for rank 0.
// Naive view: the wait includes the all-reduce, which was only called.
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
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    check(ncclGroupEnd());
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
