// A heap profiler holds the allocator's lock for 1.2 s, which a launch needs.
// Naive view: a launch that lasts waits for the device.
// Expected: completes.
#include "tests/adversarial/setup/heap_profiler.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  launch_beside_a_heap_profiler([] {
    const Deadline end = in_ms(1200);
    while (!end.is_over()) {
    }
  });
  return 0;
}
