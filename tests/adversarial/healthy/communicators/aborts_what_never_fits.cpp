// Rank 1 receives more than rank 0 sends, and has enqueued a collective behind it. It notices, and
// gives up that communicator.
// Naive view: what never fits holds up its stream for ever.
// Expected: corrupts, as the two messages differ; at most a stall meanwhile, never a deadlock.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = ends("corrupts", "mismatch", {0, 1})};

int program(int, char**) {
  Two two;
  if (rank() == 0) {
    check(ncclSend(two.y, 8, ncclFloat, 1, two.second, two.on_second));
  } else {
    check(ncclRecv(two.y, 512, ncclFloat, 0, two.second, two.on_first));
  }
  all_reduce(two.first, two.on_first, two.x);
  if (rank() == 1) {
    pause_ms(300);
    check(ncclCommAbort(two.second));
  }
  check(cudaStreamSynchronize(two.on_first));
  if (rank() == 0) check(ncclCommAbort(two.second));
  return 0;
}
