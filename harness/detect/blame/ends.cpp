// Calls that do not fit, members that have left, processes that are gone.
#include "harness/detect/blame/ends.h"

#include <algorithm>
#include <map>

#include "harness/detect/blame/sides.h"
#include "harness/detect/blame/waits_for.h"

namespace gridlock::detect {
namespace {

// Members whose size differs from what most announce, and members that claim another's rank.
std::vector<Index> misfits_at_init(const WaitGraph& graph, const Point& place) {
  std::map<Index, std::vector<Index>> of_size;
  std::map<std::int32_t, std::vector<Index>> of_rank;
  std::size_t total = 0;
  for (Index entry = 0; entry < graph.entries.size(); ++entry) {
    if (graph.entries[entry].communicator != place.communicator) continue;
    of_size[static_cast<Index>(graph.record_of(entry).size)].push_back(
        graph.entries[entry].process);
    of_rank[graph.rank_of(entry)].push_back(graph.entries[entry].process);
    ++total;
  }
  std::vector<Index> culprits;
  for (const auto& [size, processes] : of_size) {
    if (of_size.size() > 1 && processes.size() * 2 <= total) {
      culprits.insert(culprits.end(), processes.begin(), processes.end());
    }
  }
  for (const auto& one : of_rank) {
    const std::int32_t rank = one.first;
    const std::vector<Index>& processes = one.second;
    if (processes.size() < 2) continue;
    // If one of them is that rank of the job, the others are wrong.
    const bool owner = std::any_of(processes.begin(), processes.end(), [&](Index process) {
      return graph.snapshots[process].rank == rank;
    });
    for (const Index process : processes) {
      if (!owner || graph.snapshots[process].rank != rank) culprits.push_back(process);
    }
  }
  return culprits;
}

// If most members have ended, or closed the communicator, without the call in which a few wait:
// those few. Empty if there is no such majority.
std::vector<Index> odd_callers(const WaitGraph& graph, const Point& place) {
  if (!place.at_slot()) return {};
  std::vector<Index> absent;
  for (const Point::Missing& missing : place.missing) {
    if (missing.enqueued) continue;
    const record::Snapshot& snapshot = graph.snapshots[missing.process];
    // A rank that crashed, failed or aborted does not count towards the majority, and rules it out.
    const bool ended = snapshot.process == record::ProcessState::exited && snapshot.exit_code == 0;
    if (!ended && !has_left(graph, missing)) return {};
    absent.push_back(missing.process);
  }
  if (absent.size() * 2 <= place.members) return {};
  std::vector<Index> called;
  const WaitGraph::Communicator& communicator = graph.communicators[place.communicator];
  for (Index member = 0; member < communicator.size; ++member) {
    const Index entry = graph.members[communicator.first_member + member];
    if (entry == kNoIndex) continue;
    const Index process = graph.entries[entry].process;
    if (!std::binary_search(absent.begin(), absent.end(), process)) {
      called.push_back(process);
    } else if (graph.entries[entry].aborted) {
      return {};
    }
  }
  return called;
}

}  // namespace

Blame blame_of_point(const WaitGraph& graph, const Points& points, const Ledger* ledger, Index at) {
  const Point& place = points.points[at];
  if (place.kind == Point::Kind::host_function || place.kind == Point::Kind::inside_nccl) {
    return Blame{Cause::host_stuck, place.waiting, {at}};
  }
  if (is_on_device(place)) {
    return Blame{Cause::device_stuck, place.waiting, {at}};
  }
  if (!place.misfit) {
    std::vector<Index> culprits = odd_callers(graph, place);
    const bool few_called = !culprits.empty();
    for (const Point::Missing& missing : place.missing) {
      if (!few_called && has_left(graph, missing)) culprits.push_back(missing.process);
    }
    // If no member is named as missing, one has no record.
    return Blame{culprits.empty() ? Cause::none : Cause::missing_rank, culprits, {at}};
  }
  if (place.kind == Point::Kind::gathering) {
    return Blame{Cause::init, misfits_at_init(graph, place), {at}};
  }
  const std::vector<Side> sides = sides_at(graph, place, ledger);
  std::size_t total = 0;
  for (const Side& side : sides) total += side.processes.size();
  std::vector<Index> culprits;
  for (std::size_t index = 0; index < sides.size(); ++index) {
    const bool majority = index == 0 && sides[0].processes.size() * 2 > total;
    if (majority) continue;
    culprits.insert(culprits.end(), sides[index].processes.begin(), sides[index].processes.end());
  }
  return Blame{Cause::mismatch, culprits, {at}};
}

Blame blame_of_end(const WaitGraph& graph, const Points& points, Hosts hosts, Index process,
                   std::span<const Index> missed_at) {
  const std::vector<Index> at(missed_at.begin(), missed_at.end());
  if (at.empty()) return {};  // it waits for no rank, and no rank waits for it
  const bool only_init = std::all_of(
      at.begin(), at.end(), [&](Index index) { return is_init(graph, points.points[index]); });
  if (graph.processes[process].gone) {
    if (only_init) return Blame{Cause::init, {process}, at};
    std::vector<Index> odd;
    bool excused = true;
    for (const Index index : at) {
      const std::vector<Index> called = odd_callers(graph, points.points[index]);
      excused = excused && !called.empty();
      odd.insert(odd.end(), called.begin(), called.end());
    }
    return Blame{Cause::rank_exited, excused ? odd : std::vector<Index>{process}, at};
  }
  const auto& threads = graph.snapshots[process].threads;
  const bool sleeps = std::any_of(threads.begin(), threads.end(), [](const record::Thread& thread) {
    return thread.exists && thread.sleep.asleep;
  });
  const bool is_stuck = hosts == Hosts::frozen || sleeps;
  return Blame{is_stuck ? Cause::host_stuck : Cause::missing_rank, {process}, at};
}

}  // namespace gridlock::detect
