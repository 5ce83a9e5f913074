// What happened in a run, kept in the results folder for its page: timelines/NAME.json.
#pragma once

#include <filesystem>
#include <string>

#include "harness/report/results.h"
#include "harness/run/job.h"
#include "harness/run/look/symbols.h"

namespace gridlock::session {

constexpr const char* kTimelines = "timelines";

// The name that a run's files have in the results folder: "uneven_batches.join.n4.0"; of a watch,
// its program. It holds no slash, whatever the run's names hold.
std::string run_name(const report::Run& run);

// The timeline of an observed run, as gridlock.timeline/1. What the boxes of this agent's ranks
// still hold is all in it; of other agents' ranks, what was looked at.
//   Blocks   the first time in a module: reads its debug information, where callers are named
std::string timeline_of(const run::Observation& observation, run::Symbols& symbols);

// The same of boxes that were kept; nothing is known of when the run began or ended.
std::string timeline_of(std::span<const record::Snapshot> snapshots, const detect::Verdict& verdict,
                        run::Symbols& symbols);

// Writes it to `folder`/timelines. A disk that is full loses it, and says so once.
void keep_timeline(const std::filesystem::path& folder, const std::string& name,
                   const std::string& timeline);

// The first thing in `timelines` that Gridlock has not written; empty when there is none.
std::filesystem::path foreign_in_timelines(const std::filesystem::path& timelines);

}  // namespace gridlock::session
