// Rank 0 polls the descriptor of a child process (pidfd), which never ends.
// Naive view: nobody knows what such a descriptor waits for.
// Expected: deadlock; rank 0 is to blame.
#include <poll.h>
#include <sys/syscall.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("host_stuck", {0})};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const pid_t child = start_helper(read_what_nobody_writes);
    pollfd ends{
        .fd = static_cast<int>(syscall(SYS_pidfd_open, child, 0)), .events = POLLIN, .revents = 0};
    poll(&ends, 1, -1);
  }
  training.step();
  return 0;
}
