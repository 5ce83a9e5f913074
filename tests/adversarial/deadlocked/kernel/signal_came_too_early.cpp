// Rank 0's child sends it a signal, and only then does rank 0 pause until a signal comes.
// Naive view: any process of the job may send a signal, so rank 0 waits for rank 1.
// Expected: deadlock; rank 0 alone is to blame.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("host_stuck", {0}).assuming(" ")};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    std::signal(SIGUSR1, [](int) {});
    wait_for(start_helper([] { kill(getppid(), SIGUSR1); }));
    pause();
  }
  training.step();
  return 0;
}
