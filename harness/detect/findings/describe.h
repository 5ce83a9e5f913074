// A verdict in full, as data: who waits where, who is at fault with what, the cycle.
#pragma once

#include "harness/detect/blame/blame.h"
#include "harness/detect/graph/points.h"
#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

Verdict describe(const WaitGraph& graph, const Points& points, const Blame& blame,
                 const Ledger* ledger, Outcome outcome);

// Groups of ranks that wait in the same place, sorted by first rank.
std::vector<Wait> waits_of(const WaitGraph& graph, const Points& points,
                           const CommunicatorNames& names);

// A phrase for each culprit, equal phrases put together, sorted by first rank.
std::vector<Verdict::Fault> faults_of(const WaitGraph& graph, const Points& points,
                                      const Blame& blame, const Ledger* ledger,
                                      const CommunicatorNames& names);

// What the proof takes for granted about the ranks it calls dead.
std::vector<Phrase> assumptions_of(const WaitGraph& graph, const Points& points,
                                   const std::vector<Index>& dead);

// What a waiter is in.
Place place_of(const WaitGraph& graph, const Points& points, const CommunicatorNames& names,
               const Waiter& waiter);

}  // namespace gridlock::detect
