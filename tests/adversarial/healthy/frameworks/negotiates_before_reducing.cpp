// As in Horovod, a background thread of each rank reduces what the main thread submits, once the
// coordinator in rank 0 has heard of all ranks. Rank 2 takes its time before it submits its last
// tensor. Then all main threads evaluate on a communicator of their own.
// Naive view: all threads but rank 2's wait for each other.
// Expected: completes.
#include "tests/adversarial/setup/negotiation.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  const Two two;
  Negotiation negotiation(two);
  for (int tensor = 1; tensor <= 3; ++tensor) {
    if (rank() == 2 && tensor == 3) pause_ms(900);
    negotiation.reduce();
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  negotiation.join();
  return 0;
}
