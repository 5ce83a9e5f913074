// The verdict on a job whose ranks have all ended by themselves.
#pragma once

#include <vector>

#include "harness/detect/calls/ledger.h"
#include "harness/detect/verdict/verdict.h"
#include "harness/run/job.h"

namespace gridlock::run {

// crashes where a rank was ended by a signal, else fails where one failed, else corrupts where one
// found wrong numbers or calls met that do not belong together, else completes. `ranks` by process;
// where there is only one for all ranks (a launcher) it stands for rank 0. What did not fit on the
// way is the cause of a bad end.
detect::Verdict verdict_of_end(const std::vector<RankEnd>& ranks, const detect::Ledger& ledger);

// Of a job that ended its own hang, by an abort of `ranks`: cause, culprits and waits are those of
// `before`, when it still stood. Left as it is where `before` explains nothing, or the job ended
// well.
void blame_standstill(const detect::Verdict& before, const std::vector<int>& ranks,
                      detect::Verdict& end);

// Whether rank 0 found the port taken at which the ranks were to meet: somebody else was faster.
bool found_port_taken(const Observation& observation);

}  // namespace gridlock::run
