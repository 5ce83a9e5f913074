// The ranks daemonize, and then cross two communicators. The processes that were started exited
// with code 0 long ago.
// Naive view: "completes", exit code 0.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  if (daemon(1, 1) != 0) return 5;
  Two two;
  pause_ms(300);
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
