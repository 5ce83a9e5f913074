// A helper asks rank 0, once (SA_RESETHAND), to give up a communicator on which it waits. The
// handler first writes a report for 2.5 s. A scheduler suspends rank 0 meanwhile (SIGSTOP), for
// a second.
// Naive view: who is stopped in a wait sleeps there.
// Expected: completes.
#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes().or_as("fails", "", {0}),
                            .options = kStandsBriefly};

int program(int, char**) {
  const Training training;
  wait_until_given_up(training, [] {
    struct sigaction action {};
    action.sa_handler = [](int) {
      for (int i = 0; i < 25; ++i) pause_ms(100);
      ncclCommAbort(given_up);
    };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGUSR1, &action, nullptr);
    return start_helper([] {
      pause_ms(200);
      kill(getppid(), SIGUSR1);
      pause_ms(300);
      kill(getppid(), SIGSTOP);
      pause_ms(1000);
      kill(getppid(), SIGCONT);
    });
  });
  return 0;
}
