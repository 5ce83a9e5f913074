// A heap profiler's thread takes the allocator's lock for 8 s to write its table. Meanwhile rank
// 0's launch allocates, beside an all-reduce that waits for rank 1, which rank 0 tells to go on
// after it. Naive view: a launch that lasts waits for the device. Expected: completes.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes(), .options = kStandsForLong};

namespace {
std::mutex g_heap;
std::atomic<bool> g_dumps{false};
std::atomic<bool> g_wanted{false};
}  // namespace

int program(int argc, char** argv) {
  const int time = argc > 1 ? atoi(argv[1]) : 8000;
  const Two two;
  std::thread profiler([=] {
    while (!g_wanted) pause_ms(1);
    const std::scoped_lock lock(g_heap);
    g_dumps = true;
    const Deadline end = in_ms(time);
    while (!end.is_over()) pause_ms(1);
  });
  if (rank() == 0) {
    g_wanted = true;
    while (!g_dumps) pause_ms(1);
  }
  launch_that_lasts(
      two, [] { const std::scoped_lock lock(g_heap); }, host_function);
  g_wanted = true;
  profiler.join();
  return 0;
}
