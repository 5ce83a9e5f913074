// In an open group, rank 0 waits for a message that rank 1 sends only after the group's all-reduce.
// The group ends only after the wait.
// Naive view: an open call may still fail and give its slot back, so nothing can be proven.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect =
                                deadlock("cycle", {0, 1}).or_as("deadlock", "missing_rank", {0})};

int program(int, char**) {
  Two two;
  if (rank() == 0) {
    check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 1, two.second, two.on_second));
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_second));
    check(ncclGroupEnd());
  } else {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
