// What all functions that intercept a vendor's have in common.
#pragma once

#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/thread.h"

// Exports a function that the program calls; everything else in this library is hidden.
#define GRIDLOCK_INTERPOSE extern "C" __attribute__((visibility("default")))

namespace gridlock::recorder {

// Whether a call of this thread is to be recorded. The first such call claims the box.
inline bool records(const ThreadState& thread) { return thread.depth == 0 && recording(); }
// The same, unless NCCL's own thread makes the call.
inline bool records_of_program(const ThreadState& thread) {
  return records(thread) && !thread.is_nccls;
}

}  // namespace gridlock::recorder
