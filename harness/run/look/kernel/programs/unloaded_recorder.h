// Ranks that the recorder could not be loaded into, so that their calls are not seen.
#pragma once

#include <span>
#include <string>

#include "harness/record/snapshot.h"
#include "harness/run/job.h"

namespace gridlock::run {

// The first such rank, and what the dynamic loader says about it; "" if there is none. The loader
// says the same about programs that a rank only starts, so ranks that were recorded do not count.
//   snapshots, ranks   by process
std::string unloaded_recorder(std::span<const record::Snapshot> snapshots,
                              std::span<const RankEnd> ranks);

}  // namespace gridlock::run
