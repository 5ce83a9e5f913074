// In an open group, after calling its all-reduce, rank 0 allocates memory. That waits for the
// device: for a host function that runs there, but not for the all-reduce, which is not enqueued
// yet. Rank 1 reaches its all-reduce only when rank 0, after its group, has sent it a message. So
// the all-reduce that rank 0 seems to wait for inside the group itself waits for rank 0.
// Expected: completes.
// Must not say: deadlock; a group enqueues nothing before its end.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  } else {
    hold_for_long(two.on_first);
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x);
    float* late = nullptr;
    check(cudaMalloc(reinterpret_cast<void**>(&late), 4096));
    check(ncclGroupEnd());
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
