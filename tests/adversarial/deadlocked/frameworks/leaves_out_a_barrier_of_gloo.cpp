// Before the third step rank 2 leaves out a barrier of Gloo's, and waits in that step's all-reduce.
// The others sleep at condition variables, until the threads that poll their connections wake them.
// Naive view: the others are stuck in their own code.
// Expected: deadlock; rank 2 is to blame, for which the others wait.
#include "tests/adversarial/setup/mesh.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {2}), .ranks = 4};

int program(int, char**) {
  const Training training;
  static Mesh mesh(training);
  for (int step = 0; step < 4; ++step) {
    if (rank() != 2 || step != 2) mesh.barrier();
    training.step();
  }
  std::_Exit(0);
}
