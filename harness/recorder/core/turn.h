// Threads take turns for the few stores that put an operation into the ring. So ring order, a
// stream's positions and its chain agree, and none of them needs its own atomic operation. There is
// one turn per process.
#pragma once

#include "harness/recorder/core/hold.h"

namespace gridlock::recorder {

class Turn {
 private:
  inline static constinit std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  Hold hold_{busy_};
};

}  // namespace gridlock::recorder
