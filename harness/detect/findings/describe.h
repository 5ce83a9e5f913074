// A full verdict, as data: who waits where, which rank did what wrong, the cycle.
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

// A phrase for each culprit. Equal phrases are merged; sorted by first rank.
std::vector<Verdict::Fault> faults_of(const WaitGraph& graph, const Points& points,
                                      const Blame& blame, const Ledger* ledger,
                                      const CommunicatorNames& names);

// What the proof assumes about the ranks that it calls dead.
std::vector<Phrase> assumptions_of(const WaitGraph& graph, const Points& points,
                                   const std::vector<Index>& dead);

// "a pipe": what a rank without a recorded wait sleeps on.
std::string what_it_sleeps_on(const record::Snapshot& snapshot);

// Empty if the operation is no message.
OtherSide other_side(const WaitGraph& graph, const WaitGraph::Operation& of);

// What a waiter is in.
Place place_of(const WaitGraph& graph, const Points& points, const CommunicatorNames& names,
               const Waiter& waiter);

}  // namespace gridlock::detect
