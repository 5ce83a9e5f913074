// A thread destroys the communicator and waits there for its graph, which the main thread destroys
// 600 ms later.
// Naive view: whoever is in ncclCommDestroy while a graph is left waits for itself.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  cudaGraphExec_t step =
      captured(two.on_first, [&] { all_reduce(two.first, two.on_first, two.x); });
  check(cudaGraphLaunch(step, two.on_first));
  check(cudaStreamSynchronize(two.on_first));
  std::thread closes([&] { check(ncclCommDestroy(two.first)); });
  pause_ms(600);
  check(cudaGraphExecDestroy(step));
  closes.join();
  return 0;
}
