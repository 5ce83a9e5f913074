// Rank 0's connection to rank 1's metrics server gives up when nothing it sends is taken for a
// second (TCP_USER_TIMEOUT, as gRPC sets it). Rank 0 has sent more than rank 1 has room for, and
// waits for the answer. Rank 1 is in the all-reduce that rank 0 joins afterwards.
// Naive view: rank 1 will never read, so rank 0 waits for ever.
// Expected: completes.
#include <fcntl.h>
#include <netinet/tcp.h>

#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);
  if (rank() == 0) {
    const unsigned second = 1000;
    demand(setsockopt(peer, IPPROTO_TCP, TCP_USER_TIMEOUT, &second, sizeof second) == 0);
    char block[65536] = {};
    while (send(peer, block, sizeof block, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
    static_cast<void>(recv(peer, block, 1, 0));  // fails after some time
  }
  training.step();
  return 0;
}
