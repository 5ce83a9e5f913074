// The first slot at which the ranks disagree, if calls paired wrongly and went through before
// anything hung.
#pragma once

#include "harness/detect/blame/blame.h"
#include "harness/detect/calls/ledger.h"
#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

// The oldest slot at which all members made calls that differ and went through. If there is none:
// the first slot at which only labels differed, if it comes before the slot at which `points` shows
// the communicator stuck and labels had agreed before. Null if there is neither.
const Disagreement* divergence_before(const WaitGraph& graph, const Points& points,
                                      const Ledger& ledger);

// The oldest mismatch of a run that has ended. If there is none and `numbers_wrong`: the oldest
// slot at which only labels differed. Null if there is neither.
const Disagreement* first_divergence(const Ledger& ledger, bool numbers_wrong);

// The ranks that differ from the largest side. All ranks if two sides are equally large or, if
// `strictly`, the largest is no more than half.
std::vector<int> odd_ranks(const Disagreement& found, bool strictly);

// What each culprit called, and what the largest side of the others called.
std::vector<Verdict::Fault> faults_at(const Disagreement& found, const std::vector<int>& culprits);

// For the verdict: sides are sorted by first rank, which does not depend on the order of looking.
phrase::Crossed crossed(const Disagreement& found, const CommunicatorNames& names);

}  // namespace gridlock::detect
