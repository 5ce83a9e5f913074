// Each rank writes checkpoints in a thread; the threads agree over a connection. Rank 0's thread
// has ended by an exception that nobody saw. At the next checkpoint, rank 1's main thread joins
// its thread, which waits for rank 0's answer. Rank 0 goes on to the next step.
// Expected: deadlock; rank 0 (or the cycle of both).
#include <stdexcept>
#include <thread>

#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect =
                                deadlock("cycle", {0, 1}).or_as("deadlock", "missing_rank", {0})};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);
  std::thread checkpoint([&] {
    try {
      if (rank() == 0) throw std::runtime_error("no space left");
      tell(peer);
      be_told(peer);
    } catch (const std::exception&) {
    }
  });
  training.step();
  if (rank() == 1) checkpoint.join();
  training.step();
  if (checkpoint.joinable()) checkpoint.join();
  return 0;
}
