// Rank 0 waits for a collective that rank 1 does not make. Its helper asks it to end (SIGTERM).
// The handler first restores the default, so that a second request ends the program, then takes a
// second, and aborts the communicator. In the second round the kernel restores the default
// (SA_RESETHAND).
// Naive view: no signal is handled, so no handler can be running in the wait.
// Expected: completes.
#include <csignal>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static ncclComm_t child = nullptr;

static void give_up(int number) {
  std::signal(number, SIG_DFL);
  pause_ms(1000);
  ncclCommAbort(child);
}

int program(int, char**) {
  const Training training;
  for (int round = 0; round < 2; ++round) {
    check(ncclCommSplit(training.world, 0, rank(), &child, nullptr));
    training.step();
    if (rank() == 0) {
      struct sigaction action {};
      action.sa_handler = give_up;
      if (round == 1)
        action.sa_handler = [](int) {
          pause_ms(1000);
          ncclCommAbort(child);
        };
      action.sa_flags = round == 1 ? static_cast<int>(SA_RESETHAND) : 0;
      sigaction(SIGTERM, &action, nullptr);
      const pid_t helper = start_helper([] {
        pause_ms(200);
        kill(getppid(), SIGTERM);
      });
      all_reduce(child, training.stream, training.data);
      check(cudaStreamSynchronize(training.stream));
      wait_for(helper);
    }
    training.step();
  }
  return 0;
}
