// Ranks that the recorder could not be loaded into: nobody sees what they call.
#pragma once

#include <span>
#include <string>

#include "harness/record/snapshot.h"
#include "harness/run/job.h"

namespace gridlock::run {

// Which rank is the first, and what the dynamic loader says of it; "" when there is none. The
// loader says the same of programs that a rank only starts: of a rank that was recorded it does not
// count.
//   snapshots, ranks   by process
std::string unloaded_recorder(std::span<const record::Snapshot> snapshots,
                              std::span<const RankEnd> ranks);

}  // namespace gridlock::run
