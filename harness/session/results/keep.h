// Keeps the output and the black boxes of a run, and loads them again.
#pragma once

#include <filesystem>

#include "harness/run/fellows.h"
#include "harness/run/job.h"

namespace gridlock::session {

// Writes output.txt, rank<r>.box and ends.json into `folder`. `fellows` have the boxes of other
// agents' ranks; may be null.
//   Errors   MachineError on a full disk
void keep(const std::filesystem::path& folder, const run::Observation& observation,
          run::Fellows* fellows = nullptr);

// The boxes in `folder`, in rank order, with what ends.json says about the processes.
//   Errors   UsageError if there are none
std::vector<record::Snapshot> load(const std::filesystem::path& folder);

}  // namespace gridlock::session
