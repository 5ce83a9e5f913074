// Fills in every part of a verdict.
#include "harness/detect/findings/describe.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "harness/detect/findings/divergence.h"

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

// What is wrong with an untrusted record.
std::string why_unread(const record::Snapshot& snapshot) {
  if (!snapshot.damage.empty()) return snapshot.damage;
  if (snapshot.overrun) return "operations in flight have fallen out of its ring of operations";
  return "its calls of MPI are " + snapshot.mpi;
}

// Notes on ranks whose records prove nothing.
std::vector<Phrase> notes_of(const WaitGraph& graph) {
  std::map<std::string, std::vector<int>> unread;
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    if (!graph.processes[process].trusted) unread[why_unread(snapshot)].push_back(snapshot.rank);
  }
  std::vector<Phrase> notes;
  for (auto& [why, ranks] : unread) {
    std::sort(ranks.begin(), ranks.end());
    notes.emplace_back(phrase::Unread{.ranks = ranks, .why = why});
  }
  return notes;
}

// A group that a rank has not closed and never will, because it is dead or gone.
std::vector<Phrase> open_groups(const WaitGraph& graph, const CommunicatorNames& names) {
  std::map<std::pair<Place, bool>, std::vector<int>> ranks_of;  // by the first call
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    const bool gone = graph.processes[process].gone;
    if (!gone && graph.can(graph.host(process))) continue;
    const auto first = std::ranges::find_if(snapshot.operations, [&](const auto& operation) {
      return operation.open && operation.thread < snapshot.threads.size() &&
             operation.communicator < snapshot.communicators.size() &&
             !snapshot.threads[operation.thread].is_launching();
    });
    if (first == snapshot.operations.end()) continue;
    const Place place{.call = first->call,
                      .slot = first->slot,
                      .label = std::string(first->label.view()),
                      .communicator = names.name(snapshot.communicators[first->communicator].id)};
    ranks_of[{place, gone}].push_back(snapshot.rank);
  }
  std::vector<Phrase> notes;
  for (auto& [group, ranks] : ranks_of) {
    std::sort(ranks.begin(), ranks.end());
    notes.emplace_back(
        phrase::OpenGroup{.ranks = ranks, .first = group.first, .ended = group.second});
  }
  return notes;
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
  verdict.notes = notes_of(graph);
  std::ranges::move(open_groups(graph, names), std::back_inserter(verdict.notes));
  if (ledger != nullptr) lead_with_divergence(graph, points, *ledger, verdict);
  return verdict;
}

}  // namespace gridlock::detect
