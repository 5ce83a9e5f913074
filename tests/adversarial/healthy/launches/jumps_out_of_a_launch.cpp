// A new-handler gives up a launch by siglongjmp, as a runtime with its own errors does. Then the
// rank waits for its cache's thread, which computes for 1.5 s and has made no call of CUDA's,
// and tells rank 1 to go on.
// Naive view: the box says that the thread is in a launch.
// Expected: completes.
#include <csetjmp>
#include <thread>

#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

namespace {
sigjmp_buf g_before;
}

int program(int, char**) {
  const Two two;
  launch_that_lasts(
      two, [] { siglongjmp(g_before, 1); },
      [](cudaStream_t side) {
        if (sigsetjmp(g_before, 1) == 0) host_function(side);
        t_in_allocation = nullptr;
        std::thread([] {
          const Deadline end = in_ms(1500);
          while (!end.is_over()) {
          }
        }).join();
      });
  return 0;
}
