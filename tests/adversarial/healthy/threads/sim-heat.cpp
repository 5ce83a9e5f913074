// The program's name begins like those of the vendor's threads, and so do the names of its own
// threads. One is a watchdog that makes its first call after 600 ms: it aborts, and the job goes
// on.
// Naive view: threads are known by their names, so this one is not even counted, not even with
// --strict.
// Expected: completes.
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
