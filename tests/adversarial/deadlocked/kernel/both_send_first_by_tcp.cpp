// Each rank sends the other its 64 MB of data over TCP before it receives. The kernel's buffers are
// full soon.
// Naive view: there are data under way on the connection, so somebody may be about to wake.
// Expected: deadlock; a cycle of both.
#include <vector>

#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);
  training.step();
  std::vector<char> data(64'000'000);
  const auto size = static_cast<ssize_t>(data.size());
  demand(send(peer, data.data(), data.size(), MSG_NOSIGNAL) == size);
  demand(recv(peer, data.data(), data.size(), MSG_WAITALL) == size);
  training.step();
  return 0;
}
