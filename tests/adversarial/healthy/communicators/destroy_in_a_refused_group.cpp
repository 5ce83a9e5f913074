// A group of rank 0 destroys the twin and makes a call that is refused, so nothing takes place. The
// program goes on with the twin, and destroys it later.
// Naive view: rank 0 has left the twin.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 2};

int program(int, char**) {
  Two two;
  if (rank() == 0) {
    check(ncclGroupStart());
    check(ncclCommDestroy(two.second));
    ncclBroadcast(two.x, two.x, 8, ncclFloat, -7, two.first, two.on_first);
    if (ncclGroupEnd() == ncclSuccess) return 5;
    pause_ms(600);
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  check(ncclCommDestroy(two.second));
  return 0;
}
