// What ranks were last seen doing, for ranks that can no longer be looked at.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::run {

struct StateGroup {
  std::vector<int> ranks;  // ascending
  std::string state;       // `in stream_synchronize, after all_reduce #12 "loss" on world`
};

// Groups of ranks in the same state; the first rank's group comes first. `snapshots` by rank;
// `ranks` ascending.
std::vector<StateGroup> state_groups(std::span<const record::Snapshot> snapshots,
                                     const std::vector<int>& ranks);

// "last seen: ranks 2-3 in stream_synchronize, after all_reduce #12 "gradients/bucket 0" on world";
// grouped by state. `snapshots` by rank; `ranks` ascending.
std::string last_state(std::span<const record::Snapshot> snapshots, const std::vector<int>& ranks);

}  // namespace gridlock::run
