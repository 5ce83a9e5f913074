// Rank 0 waits in ncclCommDestroy for its graph. Its other thread destroys the graph when rank 1
// has sent a message, and rank 1 computes first.
// Naive view: both threads of rank 0 wait, so nobody is left to destroy the graph.
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
  if (rank() == 1) {
    const Deadline end = in_ms(600);
    while (!end.is_over()) {
    }
    two.tell();
  } else {
    two.be_told(1);
  }
  check(cudaGraphExecDestroy(step));
  closes.join();
  return 0;
}
