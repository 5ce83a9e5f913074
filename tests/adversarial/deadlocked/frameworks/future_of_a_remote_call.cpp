// Rank 1's main thread waits for the future of a remote call, whose thread waits at a socket for
// rank 2's answer and makes no call of CUDA. Rank 2 answers only after the next step of all.
// Naive view: rank 1 waits for a thread of its own, so it is to blame alone.
// Expected: deadlock; rank 2 is on the cycle.
#include <future>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{.expect = deadlock("cycle", {1, 2})
                                          .or_as("deadlock", "cycle", {0, 1, 2})
                                          .or_as("deadlock", "missing_rank", {1}),
                            .ranks = 3};

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
    std::async(std::launch::async, [&] {
      tell(peer);
      be_told(peer);
    }).get();
  }
  training.step();
  if (rank() == 2) tell(peer);
  return 0;
}
