// Rank 1's thread for checkpoints is an event loop as of asio: it sleeps in epoll_wait, without a
// limit, until its timer (timerfd) fires after 2.5 s. Then it makes its first recorded call, for
// which rank 0 waits. Rank 1's main thread waits for rank 0 meanwhile.
// Naive view: a thread that was silent so far stays silent; so both ranks wait for each other.
// Expected: completes.
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return first_call_after([] {
    const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec once{.it_interval = {}, .it_value = {.tv_sec = 2, .tv_nsec = 500'000'000}};
    timerfd_settime(timer, 0, &once, nullptr);
    const int set = epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
    epoll_wait(set, &event, 1, -1);
  });
}
