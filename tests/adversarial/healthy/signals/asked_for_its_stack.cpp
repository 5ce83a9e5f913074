// Rank 0 reads from a pipe of its own. A helper sends it SIGSEGV, to make its handler write down
// where it is; the handler also lets the rank go on.
// Naive view: only a fault of the thread itself sends this signal.
// Expected: completes.
#include <csignal>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static int woken = -1;

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe own;
    woken = own.writing();
    std::signal(SIGSEGV, [](int) {
      if (write(woken, "x", 1) != 1) std::_Exit(5);
    });
    const pid_t helper = start_helper([] {
      pause_ms(1000);
      kill(getppid(), SIGSEGV);
    });
    char byte = 0;
    while (read(own.reading(), &byte, 1) != 1) {
    }
    wait_for(helper);
  }
  training.step();
  return 0;
}
