// Rank 1's main thread joins a thread that joins another one, which waits at a socket for rank 2's
// answer. None of the two makes a call of CUDA. Rank 2 answers only after the next step of all.
// Naive view: rank 1 waits for a thread of its own, so it is to blame alone.
// Expected: deadlock; rank 2 is on the cycle.
#include <thread>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {1, 2}).or_as("deadlock", "cycle", {0, 1, 2}), .ranks = 3};

int program(int, char**) {
  const Training training;
  const int listener = rank() == 2 ? store_listener() : -1;
  training.step();
  int peer = -1;
  if (rank() == 1) peer = store_client();
  if (rank() == 2) peer = accept(listener, nullptr, nullptr);
  close(listener);
  training.step();
  if (rank() == 1) {
    std::thread([&] {
      std::thread([&] {
        tell(peer);
        be_told(peer);
      }).join();
    }).join();
  }
  training.step();
  if (rank() == 2) tell(peer);
  return 0;
}
