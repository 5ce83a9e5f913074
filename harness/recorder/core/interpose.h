// What every function that stands in front of a vendor's has in common.
#pragma once

#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/thread.h"

// Every call that a program can make is visible; all else in this library is hidden.
#define GRIDLOCK_INTERPOSE extern "C" __attribute__((visibility("default")))

namespace gridlock::recorder {

// Whether a call of this thread is to be recorded. The first such call claims the box.
inline bool records(const ThreadState& thread) { return thread.depth == 0 && recording(); }

}  // namespace gridlock::recorder
