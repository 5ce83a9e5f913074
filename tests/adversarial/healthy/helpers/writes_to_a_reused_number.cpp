// Rank 0 waits at an epoll set for a helper's pipe. The number under which the pipe was added leads
// to a dead pipe by now.
// Naive view: the set's numbers tell what it waits for.
// Expected: completes.
#include <sys/epoll.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe live;
    const pid_t helper = start_helper([&] {
      pause_ms(1000);
      if (write(live.writing(), "x", 1) != 1) _exit(1);
    });
    close(live.writing());
    const int set = epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(set, EPOLL_CTL_ADD, live.reading(), &event);
    const int kept = dup(live.reading());
    const Pipe dead;
    dup2(dead.reading(), live.reading());
    if (epoll_wait(set, &event, 1, -1) != 1) return 5;
    char byte = 0;
    if (read(kept, &byte, 1) != 1) return 6;
    wait_for(helper);
  }
  training.step();
  return 0;
}
