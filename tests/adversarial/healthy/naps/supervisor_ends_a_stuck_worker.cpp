// A supervisor waits for a sign of life, three seconds at most, and then kills the worker, which
// polls for orders. So rank 0 reads the end of the worker's pipe, and goes on without it.
// Naive view: the supervisor and the worker only look again when their time comes.
// Expected: completes.
#include <poll.h>

#include "tests/adversarial/setup/crossed.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {

int look_at(int descriptor, int limit_ms) {
  pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&one, 1, limit_ms);
}

}  // namespace

int program(int, char**) {
  const Pipe orders;
  const Pipe batches;
  const Pipe signs_of_life;
  if (rank() == 0) {
    const pid_t worker = start_helper([&] {
      while (look_at(orders.reading(), 200) == 0) continue;
    });
    start_helper([&] {
      close(batches.writing());
      if (look_at(signs_of_life.reading(), 3000) == 0) kill(worker, SIGKILL);
    });
    close(batches.writing());
  }
  return crossed_until([&] { wait_for_who_polls(batches.reading(), 200); });
}
