// Threads take turns for the few stores that put an operation into the ring. So ring order, a
// stream's positions and its chain agree, and none of them needs its own atomic operation. There is
// one turn per process, and no vendor function is called during it.
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

namespace gridlock::recorder {

class Turn {
 public:
  Turn() {
    if (busy_.test_and_set(std::memory_order_acquire)) [[unlikely]]
      wait();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { busy_.clear(std::memory_order_release); }

 private:
  // A thread of real-time priority must sleep, or the one whose turn it is may never run.
  [[gnu::noinline, gnu::cold]] static void wait() {
    constexpr int kYields = 1000;
    constexpr timespec kNap{.tv_sec = 0, .tv_nsec = 50'000};
    for (int tries = 0; busy_.test_and_set(std::memory_order_acquire); ++tries) {
      if (tries < kYields) {
        sched_yield();
      } else {
        syscall(SYS_nanosleep, &kNap, nullptr);  // not cancelled, as glibc's would be
      }
    }
  }

  inline static constinit std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace gridlock::recorder
