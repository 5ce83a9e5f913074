// Rank 0 sends its metrics to rank 1 over a connection with a small send buffer, and waits in poll
// until the connection takes more. Rank 1 is in the next step already, and reads none of it: its
// kernel has received all, and acknowledges it some 40 ms later, which makes room.
// Naive view: all that was sent has arrived, so only rank 1 can end the wait.
// Expected: completes.
#include <poll.h>

#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);
  char metrics[kFills] = {};
  if (rank() == 0) keep_send_buffer_small(peer);
  for (int step = 0; step < 5; ++step) {
    answer_requests(peer);
    if (rank() == 0) {
      demand(send(peer, metrics, sizeof metrics, MSG_NOSIGNAL) == sizeof metrics);
      pollfd room{peer, POLLOUT, 0};
      poll(&room, 1, -1);
    }
    training.step();
    if (rank() == 1) demand(recv(peer, metrics, sizeof metrics, MSG_WAITALL) == sizeof metrics);
  }
  return 0;
}
