// Rank 0 waits for a helper that reads from a dead pipe. A thread of the rank, which makes no call
// of CUDA or NCCL, kills the helper after six seconds.
// Naive view: the thread makes no recorded call, so that it cannot end the hang.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const pid_t reads = start_helper(read_what_nobody_writes);
    std::thread watchdog([&] {
      pause_ms(6000);
      kill(reads, SIGTERM);
    });
    wait_for(reads);
    watchdog.join();
  }
  training.step();
  return 0;
}
