// A heap profiler's thread holds the allocator's lock while it writes its table. Meanwhile rank 0's
// launch allocates, beside an all-reduce that waits for rank 1, which rank 0 tells to go on after
// it.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/slow_allocator.h"

inline std::mutex heap_lock;

// `write_table`: what the profiler does under the lock.
template <class Write>
void launch_beside_a_heap_profiler(Write write_table) {
  std::atomic<bool> writes = false;
  std::atomic<bool> is_wanted = false;
  const Two two;
  std::thread profiler([&] {
    while (!is_wanted) pause_ms(1);
    const std::scoped_lock lock(heap_lock);
    writes = true;
    write_table();
  });
  if (rank() == 0) {
    is_wanted = true;
    while (!writes) pause_ms(1);
  }
  launch_that_lasts(
      two, [] { const std::scoped_lock lock(heap_lock); }, host_function);
  is_wanted = true;
  profiler.join();
}
