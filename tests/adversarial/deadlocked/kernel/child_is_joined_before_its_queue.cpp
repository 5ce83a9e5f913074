// As in Python's "joining processes that use queues": rank 0 waits for its worker's end (by a
// pidfd, as asyncio does) before it reads the worker's results, and the worker waits until its
// results are read.
// Expected: deadlock; rank 0 is to blame.
#include <poll.h>
#include <sys/syscall.h>

#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{
    .expect =
        deadlock("self", {0}).or_as("deadlock", "cycle", {0}).or_as("deadlock", "host_stuck", {0})};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe results;
    const pid_t worker = start_helper([&] {
      const std::vector<char> result(1 << 20);
      if (write(results.writing(), result.data(), result.size()) < 0) _exit(5);
    });
    pollfd ended{static_cast<int>(syscall(SYS_pidfd_open, worker, 0)), POLLIN, 0};
    if (poll(&ended, 1, -1) != 1) return 5;
    std::vector<char> result(1 << 20);
    if (read(results.reading(), result.data(), result.size()) < 0) return 6;
    wait_for(worker);
  }
  training.step();
  return 0;
}
