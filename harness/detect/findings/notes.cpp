// What a programmer looks for first: a group without an end, a lock that is kept, a message with a
// wrong tag.
#include "harness/detect/findings/notes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "harness/detect/graph/actors/sleeps_of.h"

namespace gridlock::detect {
namespace {

// What is wrong with an untrusted record.
std::string why_unread(const record::Snapshot& snapshot) {
  if (!snapshot.damage.empty()) return snapshot.damage;
  if (snapshot.overrun) return "operations in flight have fallen out of its ring of operations";
  return "its calls of MPI are " + snapshot.mpi;
}

// Ranks whose records prove nothing.
void add_unread(const WaitGraph& graph, std::vector<Phrase>& notes) {
  std::map<std::string, std::vector<int>> unread;
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    if (!graph.processes[process].trusted) unread[why_unread(snapshot)].push_back(snapshot.rank);
  }
  for (auto& [why, ranks] : unread) {
    std::sort(ranks.begin(), ranks.end());
    notes.emplace_back(phrase::Unread{.ranks = ranks, .why = why});
  }
}

// A group that a rank has not closed and never will, because it is dead or gone.
void add_open_groups(const WaitGraph& graph, const CommunicatorNames& names,
                     std::vector<Phrase>& notes) {
  std::map<std::pair<Place, bool>, std::vector<int>> ranks_of;  // by the first call
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    if (!graph.processes[process].may_have_open) continue;
    const bool gone = graph.processes[process].gone;
    if (!gone && graph.can(graph.host(process))) continue;
    const auto is_closing = [](const record::Thread& thread) {
      return thread.is_launching() || thread.call == record::Call::group_end ||
             thread.waits == record::Waits::operation;
    };
    const auto first = std::ranges::find_if(snapshot.operations, [&](const auto& operation) {
      return operation.open && operation.thread < snapshot.threads.size() &&
             operation.communicator < snapshot.communicators.size() &&
             !is_closing(snapshot.threads[operation.thread]);
    });
    if (first == snapshot.operations.end()) continue;
    const Place place{.call = first->call,
                      .slot = first->slot,
                      .label = std::string(first->label.view()),
                      .communicator = names.name(snapshot.communicators[first->communicator].id)};
    ranks_of[{place, gone}].push_back(snapshot.rank);
  }
  for (auto& [group, ranks] : ranks_of) {
    std::sort(ranks.begin(), ranks.end());
    notes.emplace_back(
        phrase::OpenGroup{.ranks = ranks, .first = group.first, .ended = group.second});
  }
}

void add_pythons_locks(const WaitGraph& graph, std::vector<Phrase>& notes) {
  phrase::KeepsPythonsLock keeps;
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    if (graph.processes[process].gone || graph.can(graph.host(process))) continue;
    const bool waits = any_sleep_of(
        snapshot, [](const record::Sleep& sleep) { return sleep.on == record::kPythonsLock; });
    if (waits) keeps.ranks.push_back(snapshot.rank);
  }
  std::sort(keeps.ranks.begin(), keeps.ranks.end());
  if (!keeps.ranks.empty()) notes.emplace_back(std::move(keeps));
}

// The rank of the job that is this member of the communicator; -1: not known.
int rank_of_member(const WaitGraph& graph, Index communicator, std::int32_t member) {
  const Index entry = graph.entry_of(communicator, member);
  return entry == kNoIndex ? -1 : graph.snapshots[graph.entries[entry].process].rank;
}

// If a rank waits for a message: those that its sender has sent to anybody, or that anybody has
// sent to it, and that were not received. Perhaps one of them was meant.
void add_unreceived(const WaitGraph& graph, const Points& points, const Blame& blame,
                    const Ledger& ledger, std::vector<Phrase>& notes) {
  constexpr std::size_t kMost = 3;
  std::vector<phrase::Unreceived> found;
  for (const Index index : blame.points) {
    const Point& point = points.points[index];
    if (point.kind != Point::Kind::message || graph.messages[point.at].sends) continue;
    const WaitGraph::Message& awaited = graph.messages[point.at];
    const std::int32_t own = graph.rank_of(awaited.entry);
    for (const Ledger::Unreceived& one :
         ledger.unreceived(graph.communicators[point.communicator].id)) {
      if (one.from != awaited.peer && one.to != own) continue;
      phrase::Unreceived told{.from = rank_of_member(graph, point.communicator, one.from),
                              .to = rank_of_member(graph, point.communicator, one.to),
                              .tag = one.tag,
                              .count = one.count};
      if (told.from >= 0 && told.to >= 0) found.push_back(told);
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.size() > kMost) return;  // then there are many messages under way, and none is odd
  for (const phrase::Unreceived& one : found) notes.emplace_back(one);
}

void add_loops(const WaitGraph& graph, const Blame& blame, std::vector<Phrase>& notes) {
  if (blame.by_loop.empty()) return;
  phrase::ByLoop told;
  for (const Index process : blame.by_loop) told.ranks.push_back(graph.snapshots[process].rank);
  std::sort(told.ranks.begin(), told.ranks.end());
  notes.emplace_back(std::move(told));
}

}  // namespace

std::vector<Phrase> notes_of(const WaitGraph& graph, const Points& points, const Blame& blame,
                             const Ledger* ledger, const CommunicatorNames& names) {
  std::vector<Phrase> notes;
  add_unread(graph, notes);
  add_open_groups(graph, names, notes);
  add_pythons_locks(graph, notes);
  if (ledger != nullptr) add_unreceived(graph, points, blame, *ledger, notes);
  add_loops(graph, blame, notes);
  return notes;
}

}  // namespace gridlock::detect
