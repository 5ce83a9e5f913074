// The started process is a wrapper that only waits for its child, the actual rank. The children
// cross two communicators.
// Expected: deadlock; a cycle of both.
#include <sys/wait.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const pid_t child = fork();
  if (child != 0) return waitpid(child, nullptr, 0) == child ? 0 : 5;
  Two two;
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
