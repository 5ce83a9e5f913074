// In an open group whose all-reduce goes to a blocking stream, a blocking copy goes to the legacy
// stream, which waits for all blocking streams. Naive: also for the all-reduce that was only
// called. Rank 1 comes to its all-reduce only when rank 0, behind its group, has sent it a message;
// so what rank 0 seems to wait for inside the group waits for rank 0. Must be said: completes. Must
// not: deadlock; a group enqueues nothing before its end.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two(cudaStreamDefault);
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  } else {
    hold(two.on_first);
    float host[16] = {};
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x);
    check(cudaMemcpy(two.y, host, sizeof host, cudaMemcpyHostToDevice));
    check(ncclGroupEnd());
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
