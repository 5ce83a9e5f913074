// Rank 0 sends without a copy (MSG_ZEROCOPY) and polls its connection until the kernel says that it
// needs the data no more: that is when rank 1's kernel has confirmed it, 40 ms after rank 1 has
// read it. Meanwhile rank 1 waits for rank 0 in an all-reduce. Naive view: all was received, so
// only rank 1 can send something. Expected: completes.
#include <poll.h>
#include <sys/socket.h>

#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);
  const int on = 1;
  demand(setsockopt(peer, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on) == 0);
  for (int step = 0; step < 5; ++step) {
    answer_requests(peer);
    const char byte = 0;
    if (rank() == 0) {
      demand(send(peer, &byte, 1, MSG_ZEROCOPY) == 1);
      pollfd connection{.fd = peer, .events = 0, .revents = 0};
      demand(poll(&connection, 1, -1) == 1 && (connection.revents & POLLERR) != 0);
      msghdr told{};
      demand(recvmsg(peer, &told, MSG_ERRQUEUE) >= 0);
    } else {
      be_told(peer);
    }
    training.step();
  }
  return 0;
}
