// Rank 0 waits for a helper that reads from a dead pipe. A second helper gives it a second, and
// kills it.
// Naive view: nobody writes into the pipe, so the helper sleeps for ever.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const pid_t reads = start_helper(read_what_nobody_writes);
    const pid_t kills = start_helper([&] {
      pause_ms(1000);
      kill(reads, SIGKILL);
    });
    wait_for(reads);
    wait_for(kills);
  }
  training.step();
  return 0;
}
