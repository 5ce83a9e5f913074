// Ranks that daemonize, and then cross two communicators: what was started ended with code 0 long
// ago. Naive: "completes", exit code 0. Must be said: deadlock; a cycle of both.
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
