// Rank 0's main thread waits for a flag (std::atomic::wait) of its loader, which has set it
// before it was cleared for this epoch, and now waits for the next order. Rank 1 waits in a
// collective.
// Expected: deadlock; rank 0 is to blame.
#include <atomic>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = stuck_by_itself(0)};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    static std::atomic<int> loaded = 0;
    static std::atomic<int> ordered = 1;
    std::thread([] {
      loaded = 1;
      loaded.notify_all();
      ordered.wait(1);
    }).detach();
    loaded.wait(0);
    loaded = 0;
    training.step();
    loaded.wait(0);
  } else {
    training.step();
  }
  training.step();
  return 0;
}
