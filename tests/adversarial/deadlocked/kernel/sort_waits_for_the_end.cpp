// Rank 1 pipes lines to sort and waits for it, but keeps the pipe's write end open, so sort waits
// for more lines. Rank 1 is also profiled by its processor time.
// Naive view: sort handles SIGALRM to remove its files, and rank 1 SIGPROF, so each may be
// interrupted. But sort has set no alarm, and the time of a process that sleeps stands still.
// Expected: deadlock; rank 1 is to blame, if no signal comes from outside the job.
#include <sys/time.h>

#include <csignal>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("host_stuck", {1}).assuming("signal")};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 1) {
    std::signal(SIGPROF, [](int) {});
    const itimerval often{.it_interval = {0, 10'000}, .it_value = {0, 10'000}};
    setitimer(ITIMER_PROF, &often, nullptr);
    const Pipe lines;
    const pid_t sort = start_helper([&] {
      dup2(lines.reading(), STDIN_FILENO);
      execlp("sort", "sort", nullptr);
    });
    if (write(lines.writing(), "b\na\n", 4) != 4) return 5;
    wait_for(sort);
  }
  training.step();
  return 0;
}
