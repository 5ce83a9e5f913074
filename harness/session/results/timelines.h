// What happened in a run, kept in the results folder for its page: timelines/NAME.json.
#pragma once

#include <filesystem>
#include <string>

#include "harness/report/results.h"
#include "harness/run/job.h"
#include "harness/run/look/kernel/programs/symbols.h"

namespace gridlock::session {

constexpr const char* kTimelines = "timelines";

// The name of a run's files in the results folder: "uneven_batches.join.n4.0"; for a watch, its
// program. It has no slash, whatever the run's names hold.
std::string run_name(const report::Run& run);

// The timeline of an observed run, as gridlock.timeline/1. For this agent's ranks, it has all
// that their boxes still hold; for other agents' ranks, only what the looks read.
//   Blocks   while it reads the debug information of a module, once, if callers are named
std::string timeline_of(const run::Observation& observation, run::Symbols& symbols);

// The same from kept boxes, which do not show when the run began or ended.
std::string timeline_of(std::span<const record::Snapshot> snapshots, const detect::Verdict& verdict,
                        run::Symbols& symbols);

// Writes it to `folder`/timelines. If it is too large for a page, says so and leaves it out. If
// writing fails, for example on a full disk, says so once per process and goes on.
void keep_timeline(const std::filesystem::path& folder, const std::string& name,
                   const std::string& timeline);

// The first file in `timelines` that Gridlock has not written; empty if there is none.
std::filesystem::path foreign_in_timelines(const std::filesystem::path& timelines);

}  // namespace gridlock::session
