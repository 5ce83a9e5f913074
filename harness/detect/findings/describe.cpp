// Fills in every part of a verdict.
#include "harness/detect/findings/describe.h"

#include <algorithm>
#include <string>

#include "harness/detect/findings/divergence.h"
#include "harness/detect/findings/notes.h"

namespace gridlock::detect {
namespace {

std::vector<Phrase> cycle_of(const WaitGraph& graph, const Points& points, const Blame& blame,
                             const CommunicatorNames& names) {
  std::vector<Phrase> cycle;
  for (std::size_t index = 0; index + 1 < blame.cycle.size(); index += 2) {
    const Index process = blame.cycle[index];
    const Index point = blame.cycle[index + 1];
    if (point == kNoIndex) {
      cycle.emplace_back(phrase::Step{.rank = graph.snapshots[process].rank,
                                      .asleep_on = what_it_sleeps_on(graph.snapshots[process])});
      continue;
    }
    const auto waiter = std::find_if(
        points.waiters.begin(), points.waiters.end(),
        [&](const Waiter& one) { return one.process == process && one.point == point; });
    cycle.emplace_back(phrase::Step{.rank = graph.snapshots[process].rank,
                                    .at = place_of(graph, points, names, *waiter)});
  }
  if (!cycle.empty()) cycle.push_back(Phrase(cycle.front()));
  return cycle;
}

// If calls paired wrongly and went through, everything after them is shifted, and which rank is
// missing at the end is no one's fault. The ranks that differed there are to blame.
void lead_with_divergence(const WaitGraph& graph, const Points& points, const Ledger& ledger,
                          Verdict& verdict) {
  const Disagreement* found = divergence_before(graph, points, ledger);
  if (found == nullptr) return;
  verdict.divergence = crossed(*found, ledger.names());
  const bool is_explained = verdict.cause == Cause::mismatch || verdict.cause == Cause::init;
  if (found->difference == Difference::label || is_explained) return;
  verdict.cause = Cause::mismatch;
  verdict.culprits = odd_ranks(*found, true);
  verdict.faults = faults_at(*found, verdict.culprits);
  verdict.cycle.clear();
}

}  // namespace

std::string what_it_sleeps_on(const record::Snapshot& snapshot) {
  const auto thread = std::ranges::find_if(
      snapshot.threads, [](const record::Thread& one) { return one.exists && one.sleep.asleep; });
  const bool is_known = thread != snapshot.threads.end() && !thread->sleep.on.empty();
  return is_known ? thread->sleep.on : "what another rank must do";
}

Verdict describe(const WaitGraph& graph, const Points& points, const Blame& blame,
                 const Ledger* ledger, Outcome outcome) {
  CommunicatorNames shown;  // used if there is no ledger
  if (ledger == nullptr) {
    for (const record::Snapshot& snapshot : graph.snapshots) shown.add(snapshot);
  }
  const CommunicatorNames& names = ledger != nullptr ? ledger->names() : shown;
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.cause = blame.cause;
  for (const Index process : blame.culprits) {
    verdict.culprits.push_back(graph.snapshots[process].rank);
  }
  std::sort(verdict.culprits.begin(), verdict.culprits.end());
  verdict.waiting = waits_of(graph, points, names);
  verdict.faults = faults_of(graph, points, blame, ledger, names);
  verdict.cycle = cycle_of(graph, points, blame, names);
  verdict.notes = notes_of(graph, points, blame, ledger, names);
  if (ledger != nullptr) lead_with_divergence(graph, points, *ledger, verdict);
  return verdict;
}

}  // namespace gridlock::detect
