// A heap profiler holds the allocator's lock for 8 s, which a launch needs. It sleeps again and
// again.
// Naive view: a launch that lasts waits for the device.
// Expected: completes.
#include "tests/adversarial/setup/heap_profiler.h"

constinit const Trial trial{.expect = completes(), .options = kStandsForLong};

int program(int, char**) {
  launch_beside_a_heap_profiler([] {
    const Deadline end = in_ms(8000);
    while (!end.is_over()) pause_ms(1);
  });
  return 0;
}
