// Rank 0 joins a thread that looks for a file every 100 ms, and finds it after three seconds.
// Naive view: a thread that naps wakes nobody, and the one that joins it is idle.
// Expected: completes.
#include "tests/adversarial/setup/crossed.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return crossed_until([] {
    std::thread([] {
      for (int look = 0; look < 30; ++look) pause_ms(100);
    }).join();
  });
}
