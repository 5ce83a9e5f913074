// 60,000 small messages run at full speed, more than the record holds between two looks. Then rank
// 0 waits for one more, and rank 1 for a broadcast of rank 0.
// Naive view: from then on, all messages count as past for ever.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  for (int i = 0; i < 60000; ++i) {
    if (rank() == 0) {
      check(ncclRecv(two.x, 1, ncclFloat, 1, two.first, two.on_first));
    } else {
      check(ncclSend(two.x, 1, ncclFloat, 0, two.first, two.on_first));
    }
  }
  check(cudaStreamSynchronize(two.on_first));
  if (rank() == 0) {
    check(ncclRecv(two.x, 1, ncclFloat, 1, two.first, two.on_first));
    check(cudaStreamSynchronize(two.on_first));
    two.tell();
  } else {
    two.be_told(0);
    check(ncclSend(two.x, 1, ncclFloat, 0, two.first, two.on_first));
  }
  check(cudaDeviceSynchronize());
  return 0;
}
