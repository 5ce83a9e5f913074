// Each of rank 0's launches takes 400 ms, because a profiler holds the allocator's lock, and
// none 500 ms. They make no other recorded call in between. Then it tells rank 1 to go on.
// Naive view: the thread has been in a launch for 2 s.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  launch_that_lasts(two, nullptr, [](cudaStream_t side) {
    for (int i = 0; i < 5; ++i) {
      t_in_allocation = [] { pause_ms(400); };
      host_function(side);
    }
  });
  return 0;
}
