// What ranks were last seen doing, when nobody can look at them any more.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::run {

// "last seen: ranks 2-3 in stream_synchronize, after all_reduce #12 "gradients/bucket 0" on world";
// ranks that were in the same state together. `snapshots` by rank; `ranks` ascending.
std::string last_state(std::span<const record::Snapshot> snapshots, const std::vector<int>& ranks);

}  // namespace gridlock::run
