// Turns what the agent observed into the values for reports.
#pragma once

#include <span>

#include "harness/record/snapshot.h"
#include "harness/report/results.h"
#include "harness/run/job.h"
#include "harness/run/look/kernel/programs/symbols.h"
#include "harness/session/task.h"

namespace gridlock::session {

// Names the callers of all groups that wait.
void name_callers(detect::Verdict& verdict, run::Symbols& symbols);

// Adds to the explanation what the recorder could not see.
void add_unseen(std::span<const record::Snapshot> snapshots, detect::Verdict& verdict);

// The result of an observed run: judged against the task's declaration, or skipped, or an error.
report::Run judged_run(const Task& task, const run::Observation& observation,
                       run::Symbols& symbols);

// The result of a watched program, which declares nothing but should complete.
report::Run watched_run(const run::Job& job, const run::Observation& observation,
                        run::Symbols& symbols);

// Sets the cost of every fix: its step time divided by its control's median step time, with the
// same number of ranks in the same session. Fixes that ran in pairs with their control already have
// a cost.
void set_fix_costs(std::vector<report::Run>& runs);

}  // namespace gridlock::session
