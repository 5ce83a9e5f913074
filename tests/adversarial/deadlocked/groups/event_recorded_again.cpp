// Rank 0 waits for an event whose newest record stands behind the collective that only its next
// call would let rank 1 make. The first record, on an idle stream, no longer counts. Must be said:
// deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  if (rank() == 0) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event));
    check(cudaEventRecord(event, two.on_second));
    all_reduce(two.first, two.on_first, two.x);
    check(cudaEventRecord(event, two.on_first));
    check(cudaEventSynchronize(event));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}
