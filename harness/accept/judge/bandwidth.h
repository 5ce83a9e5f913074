// Compares bandwidths with their floors, and ranks with each other.
#pragma once

#include <vector>

#include "harness/accept/judge/judge.h"

namespace gridlock::accept {

// `runs` must all have completed with right numbers. Fills answer, figure, reason, evidence, advice
// and culprits of `result`.
void judge_bandwidth(const Check& check, const std::vector<report::Run>& runs, const Facts& facts,
                     Result& result);

// Names `ranks` as culprits, with what is known about their GPUs.
void accuse(Result& result, const std::vector<int>& ranks, const Facts& facts);

}  // namespace gridlock::accept
