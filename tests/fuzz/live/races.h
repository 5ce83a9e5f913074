// Races between the threads of one rank that no record can resolve.
#pragma once

#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::fuzz {

// Whether a thread of a rank waits for what another one launched at the moment when the wait began,
// so that the detector cannot tell whether it waits for ever.
bool has_race(const std::vector<record::Snapshot>& ranks);

}  // namespace gridlock::fuzz
