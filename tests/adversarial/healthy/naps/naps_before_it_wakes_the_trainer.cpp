// Rank 0 waits for a batch, for which a thread that has never used CUDA looks every 50 ms. After a
// second there is one.
// Naive view: nobody but threads that nap is awake.
// Expected: completes.
#include "tests/adversarial/setup/crossed.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return crossed_until([] {
    Event has_batch;
    std::thread loader([&] {
      for (int look = 0; look < 20; ++look) pause_ms(50);
      has_batch.tell();
    });
    has_batch.wait();
    loader.join();
  });
}
