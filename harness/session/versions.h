// Runs the same plan on several NCCLs from source. Each has a session and a folder of its own.
#pragma once

#include <vector>

#include "harness/session/session.h"

namespace gridlock::session {

// Returns the results in the order of `nccls`.
//   folder    gets a folder for each version: results.json and report.md, and what is kept of runs
//   Errors    MachineError as Session::collect(); the folders of earlier versions are complete
//   Blocks    until all runs are over
std::vector<report::Results> run_versions(const SessionOptions& options, const Site& site,
                                          const std::vector<catalogue::Nccl>& nccls,
                                          const std::vector<catalogue::Planned>& plan,
                                          const ResultsFolder& folder);

}  // namespace gridlock::session
