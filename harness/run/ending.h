// The verdict on a job whose ranks have all ended by themselves.
#pragma once

#include <vector>

#include "harness/detect/calls/ledger.h"
#include "harness/detect/verdict/verdict.h"
#include "harness/run/job.h"

namespace gridlock::run {

// The outcome is `crashes` if a signal ended a rank; else `fails` if one failed; else `corrupts` if
// one found wrong numbers or calls that do not belong together met; else `completes`. Calls that
// did not fit on the way are the cause of a bad end.
detect::Verdict verdict_of_end(const std::vector<RankEnd>& ranks, const detect::Ledger& ledger);

// The same, where the only ending is that of a launcher, which comes first. A bad one blames no
// rank, because only the launcher knows how the ranks ended.
detect::Verdict verdict_of_launcher(std::vector<RankEnd> ranks, const detect::Ledger& ledger);

// For a job that ended its own hang because `ranks` aborted: takes cause, culprits and waits from
// `before`, the standstill before the abort. Changes nothing if `before` explains nothing, or if
// the job ended well.
void blame_standstill(const detect::Verdict& before, const std::vector<int>& ranks,
                      detect::Verdict& end);

// Whether rank 0 found that another program had taken the port at which the ranks should meet.
bool found_port_taken(const Observation& observation);

}  // namespace gridlock::run
