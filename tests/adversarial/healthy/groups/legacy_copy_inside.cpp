// In an open group whose all-reduce goes to a blocking stream, rank 0 makes a blocking copy on the
// legacy stream, which waits for all blocking streams. Rank 1 reaches its all-reduce only when rank
// 0, after its group, has sent it a message. So the all-reduce that rank 0 seems to wait for inside
// the group itself waits for rank 0.
// Naive view: it also waits for the all-reduce, which was only called.
// Expected: completes.
// Must not say: deadlock; a group enqueues nothing before its end.
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
