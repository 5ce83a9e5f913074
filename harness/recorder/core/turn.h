// Threads take turns for the few stores that put an operation into the ring. So ring order, a
// stream's positions and its chain agree, and none of them needs its own atomic operation. There is
// one turn per process, and no vendor function is called during it.
#pragma once

#include <sched.h>

#include <atomic>

namespace gridlock::recorder {

class Turn {
 public:
  Turn() {
    while (busy_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { busy_.clear(std::memory_order_release); }

 private:
  inline static constinit std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace gridlock::recorder
