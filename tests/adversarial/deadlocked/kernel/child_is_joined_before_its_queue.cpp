// As in Python's "joining processes that use queues": rank 0 waits for its worker's end (by a
// pidfd, as asyncio does) before it reads the worker's results, and the worker waits until its
// results are read.
// Expected: deadlock; rank 0 is to blame.
#include <poll.h>
#include <sys/syscall.h>

#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = stuck_by_itself(0)};

static void collect() {
  const Pipe results;
  std::vector<char> result(1 << 20);
  const pid_t worker = start_helper([&] {
    if (write(results.writing(), result.data(), result.size()) < 0) _exit(5);
  });
  pollfd ended{static_cast<int>(syscall(SYS_pidfd_open, worker, 0)), POLLIN, 0};
  if (poll(&ended, 1, -1) != 1) std::_Exit(5);
  if (read(results.reading(), result.data(), result.size()) < 0) std::_Exit(6);
  wait_for(worker);
}

int program(int, char**) { return between_two_steps(collect); }
