// Of two ranks, one aborts the communicator and waits for the other on a second one; the other
// waits on the first.
// Expected: deadlock.
// Must not say: that one does not do what "most ranks" do. Two ranks have no majority.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {1}).or_as("deadlock", "cycle", {0, 1}),
    .says_not = {"most ranks"}};

int program(int, char**) {
  Two two;
  if (rank() == 1) check(ncclCommAbort(two.first));
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  return 0;
}
