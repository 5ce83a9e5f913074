// The output and the black boxes of a run, kept for later.
#pragma once

#include <filesystem>

#include "harness/run/fellows.h"
#include "harness/run/job.h"

namespace gridlock::session {

// Writes output.txt, rank<r>.box and ends.json into `folder`. `fellows`: who have the boxes of the
// ranks that are not this agent's; may be null.
//   Errors   MachineError on a full disk
void keep(const std::filesystem::path& folder, const run::Observation& observation,
          run::Fellows* fellows = nullptr);

// The boxes in `folder`, with what ends.json says of the processes, in rank order.
//   Errors   UsageError when there are none
std::vector<record::Snapshot> load(const std::filesystem::path& folder);

}  // namespace gridlock::session
