// Rank 1's thread for checkpoints, which has made no recorded call so far, waits in a poll for a
// timer: nearly as long again as a proof with an assumption must stand. Then it sends what rank 0
// waits for.
// Naive view: the poll itself has no time limit.
// Expected: completes.
#include <poll.h>
#include <sys/timerfd.h>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return first_call_after([] {
    const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    itimerspec after{};
    after.it_value.tv_sec = 7;
    timerfd_settime(timer, 0, &after, nullptr);
    pollfd polled{timer, POLLIN, 0};
    if (poll(&polled, 1, -1) != 1) std::_Exit(6);
  });
}
