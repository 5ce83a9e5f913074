// Rank 2 comes to a barrier of Gloo's after a while. The others sleep at condition variables, until
// the threads that poll their connections wake them.
// Naive view: nobody is left who wakes them.
// Expected: ends by itself.
#include "tests/adversarial/setup/mesh.h"

constinit const Trial trial{.expect = completes(), .ranks = 4};

int program(int, char**) {
  const Training training;
  static Mesh mesh(training);
  for (int step = 0; step < 4; ++step) {
    if (rank() == 2 && step == 2) pause_ms(1200);
    mesh.barrier();
    training.step();
  }
  mesh.barrier();  // who ends closes its connections
  std::_Exit(0);
}
