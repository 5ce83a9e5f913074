// Rank 0 waits for a helper that reads from a dead pipe. Rank 1 clears it away a second later.
// Naive view: nobody writes into the pipe, and none of rank 0's processes can kill the helper.
// Expected: completes.
#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  const Training training;
  pid_t helper = 0;
  if (rank() == 0) {
    helper = start_helper(read_what_nobody_writes);
    std::ofstream(shared_file("helper")) << helper;
  }
  training.step();
  if (rank() == 0) wait_for(helper);
  if (rank() == 1) {
    pause_ms(1000);
    std::ifstream(shared_file("helper")) >> helper;
    kill(helper, SIGKILL);
  }
  training.step();
  return 0;
}
