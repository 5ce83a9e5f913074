// The first slot from which the ranks disagree, where calls paired wrongly and went through before
// anything hung.
#pragma once

#include "harness/detect/blame/blame.h"
#include "harness/detect/calls/ledger.h"
#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

// The oldest mismatch that lies before all of what `points` shows stuck; where there is none, the
// first slot at which calls for another purpose met on a communicator that is stuck, if their
// labels had agreed before. Null when there is neither.
const Disagreement* divergence_before(const WaitGraph& graph, const Points& points,
                                      const Ledger& ledger);

// The first mismatch of a run that has ended; where there is none and `numbers_wrong`, the first
// slot at which calls for another purpose met. Null when there is neither.
const Disagreement* first_divergence(const Ledger& ledger, bool numbers_wrong);

// Who differs from the largest side; everyone where two are as large.
std::vector<int> odd_ranks(const Disagreement& found);

// What each of the culprits called, and what the largest side of the others.
std::vector<Verdict::Fault> faults_at(const Disagreement& found, const std::vector<int>& culprits);

// For the verdict: sides by their first ranks, which do not depend on who was looked at first.
phrase::Crossed crossed(const Disagreement& found, const CommunicatorNames& names);

}  // namespace gridlock::detect
