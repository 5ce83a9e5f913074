// Rank 0 sends a header and its end to rank 1 over a connection with a small send buffer. The
// second send blocks until rank 1's kernel, which has received the header, acknowledges it some
// 40 ms later. Rank 1 is in the next step already, and reads nothing.
// Naive view: all that was sent has arrived, so only rank 1 can end the wait.
// Expected: completes.
#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);
  char header[kFills] = {};
  if (rank() == 0) keep_send_buffer_small(peer);
  for (int step = 0; step < 5; ++step) {
    answer_requests(peer);
    if (rank() == 0) {
      demand(send(peer, header, sizeof header, MSG_NOSIGNAL) == sizeof header);
      tell(peer);
    }
    training.step();
    if (rank() == 1) {
      demand(recv(peer, header, sizeof header, MSG_WAITALL) == sizeof header);
      be_told(peer);
    }
  }
  return 0;
}
