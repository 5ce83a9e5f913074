// Rank 0 waits at an epoll set for a timer. The number under which the timer was added leads to an
// idle counter by now; the timer lives on under another number.
// Naive view: the file of that number has the inode that the set names. (All anonymous files have
// the same one.)
// Expected: completes.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const int set = epoll_create1(0);
    const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const itimerspec in_a_second{.it_interval = {}, .it_value = {.tv_sec = 2, .tv_nsec = 0}};
    timerfd_settime(timer, 0, &in_a_second, nullptr);
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
    const int kept = dup(timer);
    const int idle = eventfd(0, 0);
    dup2(idle, timer);
    close(idle);
    if (epoll_wait(set, &event, 1, -1) != 1) return 5;
    close(kept);
  }
  training.step();
  return 0;
}
