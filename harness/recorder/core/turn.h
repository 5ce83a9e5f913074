// Threads take turns for the few stores that put an operation into the ring, so that the order of
// the ring, the positions on a stream and its chain agree, and none of them needs an atomic
// operation of its own. One word for the process; nothing of the vendor's is called under it.
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
