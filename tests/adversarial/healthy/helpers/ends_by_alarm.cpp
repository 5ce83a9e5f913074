// Rank 0 gives another program, which reads from a dead pipe, one second (alarm). Then it dies.
// Naive view: nobody writes into the pipe, so the helper sleeps for ever. An alarm shows nowhere.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe none;
    wait_for(start_helper([&] {
      alarm(1);
      dup2(none.reading(), STDIN_FILENO);
      execlp("cat", "cat", nullptr);
    }));
  }
  training.step();
  return 0;
}
