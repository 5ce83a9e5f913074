// From what the agent observed to the values that reports are made of.
#pragma once

#include <span>

#include "harness/catalogue/selection.h"
#include "harness/record/snapshot.h"
#include "harness/report/results.h"
#include "harness/run/job.h"
#include "harness/run/look/symbols.h"

namespace gridlock::session {

// Names the callers of all groups that wait.
void name_callers(detect::Verdict& verdict, run::Symbols& symbols);

// Says in the explanation what the recorder could not see of the ranks.
void add_unseen(std::span<const record::Snapshot> snapshots, detect::Verdict& verdict);

// What every run has, before it has been run.
report::Run planned_run(const catalogue::Planned& planned, int repetition);

// The result of one run of a variant: judged against its declaration, or skipped, or an error.
report::Run judged_run(const catalogue::Planned& planned, int repetition,
                       const run::Observation& observation, run::Symbols& symbols);

// Why the program could not run here, as a rank of it says; "" when it could.
std::string skip_reason(const run::Observation& observation);

// The result of a watched program, which declares nothing but should complete.
report::Run watched_run(const run::Job& job, const run::Observation& observation,
                        run::Symbols& symbols);

// Sets the cost of every fix: its step time over the median step time of its control, with the same
// number of ranks in the same session. Fixes that were run in pairs with
// their control have theirs already.
void set_fix_costs(std::vector<report::Run>& runs);

}  // namespace gridlock::session
