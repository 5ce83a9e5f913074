// Rank 0 waits for a helper that reads from a dead pipe. The helper has set itself a timer, whose
// signal ends it.
// Naive view: the helper sleeps for ever, and so does the rank.
// Expected: completes.
#include <ctime>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    wait_for(start_helper([] {
      timer_t timer{};
      sigevent event{};
      event.sigev_notify = SIGEV_SIGNAL;
      event.sigev_signo = SIGUSR2;
      timer_create(CLOCK_MONOTONIC, &event, &timer);
      itimerspec time{};
      time.it_value.tv_sec = 1;
      timer_settime(timer, 0, &time, nullptr);
      read_what_nobody_writes();
    }));
  }
  training.step();
  return 0;
}
