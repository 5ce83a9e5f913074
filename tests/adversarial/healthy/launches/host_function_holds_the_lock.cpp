// A host function on one stream writes a log for 1.3 s and holds the allocator's lock meanwhile.
// Rank 0's main thread launches on another stream, and so needs the lock, beside an all-reduce
// that waits for rank 1.
// Naive view: a launch that lasts waits for all of the device.
// Expected: completes.
#include <atomic>
#include <mutex>

#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

namespace {
std::mutex g_heap;
std::atomic<bool> g_held{false};
}  // namespace

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    cudaStream_t logs = make_stream();
    check(cudaLaunchHostFunc(
        logs,
        [](void*) {
          const std::scoped_lock lock(g_heap);
          g_held = true;
          pause_ms(1300);
        },
        nullptr));
    while (!g_held) pause_ms(1);
  }
  launch_that_lasts(
      two, [] { const std::scoped_lock lock(g_heap); }, host_function);
  return 0;
}
