// Rank 0 waits for a collective that rank 1 does not make. Its own alarm rings. The handler is one
// of sysv_signal: the kernel restores the default first, and does not block the signal. It takes a
// second, and aborts the communicator.
// Naive view: no signal is handled or blocked, so no handler can be running in the wait.
// Expected: completes.
#include <sys/time.h>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  wait_until_given_up(training, [] {
    sysv_signal(SIGALRM, give_up_late);
    const itimerval soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 200'000}};
    setitimer(ITIMER_REAL, &soon, nullptr);
    return 0;
  });
  return 0;
}
