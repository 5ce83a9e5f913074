// As leaves_out_a_barrier_of_gloo, but each barrier is called by another thread, and the main one
// waits for its future.
// Naive view: a future sleeps at a word that the kernel may clear, as a join does, so its number is
// a thread's, and nobody else is asked.
// Expected: deadlock; rank 2 is to blame.
#include <future>

#include "tests/adversarial/setup/mesh.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {2}), .ranks = 4};

int program(int, char**) {
  const Training training;
  static Mesh mesh(training);
  for (int step = 0; step < 4; ++step) {
    if (rank() != 2 || step != 2) std::async(std::launch::async, [] { mesh.barrier(); }).get();
    training.step();
  }
  std::_Exit(0);
}
