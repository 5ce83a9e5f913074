// Rank 0 and its loader hand a buffer to and fro by two counters (eventfd). A signal's restart
// has eaten one count: rank 0 has given the buffer back once too rarely. Both sleep.
// Expected: deadlock; rank 0 is to blame.
#include <sys/eventfd.h>

#include <cstdint>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = stuck_by_itself(0)};

int program(int, char**) {
  const Training training;
  if (rank() == 0) {
    const int full = eventfd(0, 0);
    const int empty = eventfd(1, 0);
    std::uint64_t count = 1;
    start_helper([&] {
      for (int i = 0; i < 10; ++i) {
        if (read(empty, &count, sizeof count) < 0) _exit(5);
        count = 1;
        if (write(full, &count, sizeof count) < 0) _exit(6);
      }
    });
    for (int i = 0; i < 5; ++i) {
      if (read(full, &count, sizeof count) < 0) return 5;
      training.step();
      count = 1;
      if (i != 2 && write(empty, &count, sizeof count) < 0) return 6;
    }
    return 0;
  }
  for (int i = 0; i < 5; ++i) training.step();
  return 0;
}
