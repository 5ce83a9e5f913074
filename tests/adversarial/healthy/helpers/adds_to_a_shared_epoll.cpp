// Rank 0 waits at an epoll set, in which nothing is. A helper that inherited the set adds a
// descriptor that is ready.
// Naive view: only the rank's own threads can change its set.
// Expected: completes.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const int set = epoll_create1(0);
    const pid_t helper = start_helper([&] {
      pause_ms(1000);
      epoll_event ready{};
      ready.events = EPOLLIN;
      epoll_ctl(set, EPOLL_CTL_ADD, eventfd(1, 0), &ready);
      pause_ms(500);
    });
    epoll_event event{};
    if (epoll_wait(set, &event, 1, -1) != 1) return 5;
    wait_for(helper);
  }
  training.step();
  return 0;
}
