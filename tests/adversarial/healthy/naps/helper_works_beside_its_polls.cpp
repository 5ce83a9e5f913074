// The same, and the helper's first thread polls for orders, one second at a time, while a second
// one works, with pauses.
// Naive view: the helper only waits for orders.
// Expected: completes.
#include <poll.h>

#include "tests/adversarial/setup/crossed.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Pipe orders;
  const Pipe batches;
  const auto load = [&] {
    std::thread worker([&] {
      for (int part = 0; part < 30; ++part) pause_ms(100);
      if (write(batches.writing(), "", 1) != 1) std::_Exit(5);
    });
    pollfd order{.fd = orders.reading(), .events = POLLIN, .revents = 0};
    for (int look = 0; look < 4; ++look) poll(&order, 1, 1000);
    worker.join();
  };
  if (rank() == 0) start_helper(load);
  return crossed_until([&] { wait_for_who_polls(batches.reading(), 200); });
}
