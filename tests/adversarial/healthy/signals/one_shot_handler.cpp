// Rank 0 waits for a collective that rank 1 does not make. Its helper asks it to end (SIGTERM).
// The handler first restores the default, so that a second request ends the program, then takes a
// second, and aborts the communicator. In the second round the kernel restores the default
// (SA_RESETHAND).
// Naive view: no signal is handled, so no handler can be running in the wait.
// Expected: completes.
#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes()};

static void restore_and_give_up(int number) {
  std::signal(number, SIG_DFL);
  give_up_late(number);
}

int program(int, char**) {
  const Training training;
  for (const bool by_kernel : {false, true}) {
    wait_until_given_up(training, [=] {
      struct sigaction action {};
      action.sa_handler = by_kernel ? give_up_late : restore_and_give_up;
      action.sa_flags = by_kernel ? static_cast<int>(SA_RESETHAND) : 0;
      sigaction(SIGTERM, &action, nullptr);
      return helper_sends(SIGTERM, 200);
    });
  }
  return 0;
}
