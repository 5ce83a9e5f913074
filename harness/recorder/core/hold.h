// A lock for a few stores. Whoever holds it calls no vendor's function and does not use the heap,
// which may be the program's and call CUDA.
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

namespace gridlock::recorder {

class Hold {
 public:
  //   Blocks  for the thread that holds it
  explicit Hold(std::atomic_flag& busy) : busy_(busy) {
    if (busy.test_and_set(std::memory_order_acquire)) [[unlikely]]
      wait(busy);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { busy_.clear(std::memory_order_release); }

 private:
  // A thread of real-time priority must sleep, or the one that holds the lock may never run.
  [[gnu::noinline, gnu::cold]] static void wait(std::atomic_flag& busy) {
    constexpr int kYields = 1000;
    constexpr timespec kNap{.tv_sec = 0, .tv_nsec = 50'000};
    for (int tries = 0; busy.test_and_set(std::memory_order_acquire); ++tries) {
      if (tries < kYields) {
        sched_yield();
      } else {
        syscall(SYS_nanosleep, &kNap, nullptr);  // not cancelled, as glibc's would be
      }
    }
  }

  std::atomic_flag& busy_;
};

}  // namespace gridlock::recorder
