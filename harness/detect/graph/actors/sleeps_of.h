// How the threads of a rank sleep, those that make recorded calls and those that do not.
#pragma once

#include <algorithm>

#include "harness/record/snapshot.h"

namespace gridlock::detect {

// Whether `is_so` is true of a sleep of one of them.
template <class IsSo>
bool any_sleep_of(const record::Snapshot& snapshot, IsSo is_so) {
  return std::ranges::any_of(snapshot.threads,
                             [&](const record::Thread& thread) { return is_so(thread.sleep); }) ||
         std::ranges::any_of(snapshot.others, [&](const record::Sleeper& sleeper) {
           return sleeper.process == snapshot.key && is_so(sleeper.sleep);
         });
}

}  // namespace gridlock::detect
