// A program whose name begins as those of the vendor's threads do: so do the names of its threads.
// One is a watchdog that makes its first call after 600 ms: it aborts, and all work goes on.
// Naive: threads are known by their names, so this one is not even counted; --strict does not see
// it. Must be said: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  std::thread watchdog([&] {
    pause_ms(600);
    check(ncclCommAbort(two.first));
  });
  if (rank() == 0) all_reduce(two.first, two.on_first, two.x);  // rank 1 never does
  check(cudaStreamSynchronize(two.on_first));
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  watchdog.join();
  return 0;
}
