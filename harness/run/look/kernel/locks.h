// What the threads of a rank that sleep for a lock, or for another thread, wait for.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "harness/record/snapshot.h"

namespace gridlock::run {

// For the rank's threads that sleep as if for a lock, notes whether a thread of a library may hold
// it for a moment (Sleep::may_be_brief).
//   Blocks   no; reads the states of the libraries' threads
void tell_locks(record::Snapshot& snapshot);

// Notes which threads in the snapshot, also of helpers, wait for one of `nappers`, which sleep by
// the clock (Sleep::for_napper).
void tell_nappers(record::Snapshot& snapshot, const std::unordered_set<std::int64_t>& nappers);

}  // namespace gridlock::run
