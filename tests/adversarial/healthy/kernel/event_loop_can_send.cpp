// As in servers of remote calls: rank 0's event loop has sent a message and waits in epoll_wait
// until the connection takes more. Rank 1 is in the next step already. Its kernel has received the
// message, and acknowledges it some 40 ms later, which makes room.
// Naive view: all that was sent has arrived, so only rank 1 can end the wait.
// Expected: completes.
#include <sys/epoll.h>

#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);
  const int set = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLOUT;
  demand(epoll_ctl(set, EPOLL_CTL_ADD, peer, &event) == 0);
  char message[kFills] = {};
  if (rank() == 0) keep_send_buffer_small(peer);
  for (int step = 0; step < 5; ++step) {
    answer_requests(peer);
    if (rank() == 0) {
      demand(send(peer, message, sizeof message, MSG_NOSIGNAL) == sizeof message);
      epoll_wait(set, &event, 1, -1);
    }
    training.step();
    if (rank() == 1) demand(recv(peer, message, sizeof message, MSG_WAITALL) == sizeof message);
  }
  return 0;
}
