// Rank 0 revokes a communicator, and would destroy it at the end. The others destroy it at once,
// and wait for that; rank 0 waits for them in a collective.
// Naive view: who has revoked a communicator is through with it.
// Expected: deadlock (missing_rank), rank 0.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {0}), .ranks = 3};

int program(int, char**) {
  Two two;
  if (rank() == 0) {
    check(ncclCommRevoke(two.second, 0));
  } else {
    check(ncclCommDestroy(two.second));
  }
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  if (rank() == 0) check(ncclCommDestroy(two.second));
  return 0;
}
