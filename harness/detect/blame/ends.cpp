// Blame at the end of a path: calls that do not fit, members that have left, processes that are
// gone.
#include <algorithm>
#include <map>

#include "harness/detect/blame/judgement.h"

namespace gridlock::detect {

// A point that leads nowhere: its calls do not fit, or a member has left.
void Judgement::judge_place(Index at) {
  const Point& place = points_.points[at];
  if (place.kind == Kind::host_function) return found(Cause::host_stuck, place.waiting, {at});
  if (!place.misfit) {
    std::vector<Index> culprits = odd_callers(place);
    const bool few_called = !culprits.empty();
    for (const Point::Missing& missing : place.missing) {
      if (!few_called && lost(missing)) culprits.push_back(missing.process);
    }
    // Nobody is named as missing: a member without a record.
    return found(culprits.empty() ? Cause::none : Cause::missing_rank, culprits, {at});
  }
  if (place.kind == Kind::gathering) return found(Cause::init, misfits_at_init(place), {at});
  const std::vector<Side> sides = sides_at(g_, place, ledger_);
  std::size_t total = 0;
  for (const Side& side : sides) total += side.processes.size();
  std::vector<Index> culprits;
  for (std::size_t index = 0; index < sides.size(); ++index) {
    const bool majority = index == 0 && sides[0].processes.size() * 2 > total;
    if (majority) continue;
    culprits.insert(culprits.end(), sides[index].processes.begin(), sides[index].processes.end());
  }
  found(Cause::mismatch, culprits, {at});
}

// Members whose size differs from what most say; members that claim another's rank.
std::vector<Index> Judgement::misfits_at_init(const Point& place) const {
  std::map<Index, std::vector<Index>> of_size;
  std::map<std::int32_t, std::vector<Index>> of_rank;
  std::size_t total = 0;
  for (Index entry = 0; entry < g_.entries.size(); ++entry) {
    if (g_.entries[entry].communicator != place.communicator) continue;
    of_size[static_cast<Index>(g_.record_of(entry).size)].push_back(g_.entries[entry].process);
    of_rank[g_.rank_of(entry)].push_back(g_.entries[entry].process);
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
    // Where one of them is that rank of the job, the others are wrong.
    const bool owner = std::any_of(processes.begin(), processes.end(), [&](Index process) {
      return g_.snapshots[process].rank == rank;
    });
    for (const Index process : processes) {
      if (!owner || g_.snapshots[process].rank != rank) culprits.push_back(process);
    }
  }
  return culprits;
}

// Who differs where most members have ended, or closed the communicator, without the call that a
// few wait in: those few. Empty where no such majority is.
std::vector<Index> Judgement::odd_callers(const Point& place) const {
  if (!place.at_slot()) return {};
  std::vector<Index> absent;
  for (const Point::Missing& missing : place.missing) {
    if (missing.enqueued) continue;
    const record::Snapshot& snapshot = g_.snapshots[missing.process];
    // Who crashed, failed or aborted did not agree to anything.
    const bool ended = snapshot.process == record::ProcessState::exited && snapshot.exit_code == 0;
    if (!ended && !lost(missing)) return {};
    absent.push_back(missing.process);
  }
  if (absent.size() * 2 <= place.members) return {};
  std::vector<Index> called;
  const WaitGraph::Communicator& communicator = g_.communicators[place.communicator];
  for (Index member = 0; member < communicator.size; ++member) {
    const Index entry = g_.members[communicator.first_member + member];
    if (entry == kNoIndex) continue;
    const Index process = g_.entries[entry].process;
    if (!std::binary_search(absent.begin(), absent.end(), process)) {
      called.push_back(process);
    } else if (g_.entries[entry].aborted) {
      return {};
    }
  }
  return called;
}

// A process that waits for nobody.
void Judgement::judge_end(Index process) {
  const std::vector<Index>& at = missed_at_[process];
  if (at.empty()) return;  // waits for nobody, and nobody for it
  const bool only_init = std::all_of(at.begin(), at.end(),
                                     [&](Index index) { return is_init(points_.points[index]); });
  if (g_.processes[process].gone) {
    if (only_init) return found(Cause::init, {process}, at);
    std::vector<Index> odd;
    bool excused = true;
    for (const Index index : at) {
      const std::vector<Index> called = odd_callers(points_.points[index]);
      excused = excused && !called.empty();
      odd.insert(odd.end(), called.begin(), called.end());
    }
    return found(Cause::rank_exited, excused ? odd : std::vector<Index>{process}, at);
  }
  found(hosts_ == Hosts::frozen ? Cause::host_stuck : Cause::missing_rank, {process}, at);
}

bool Judgement::is_init(const Point& place) const {
  return place.kind == Kind::gathering && g_.gatherings[place.at].call == record::Call::comm_init;
}

}  // namespace gridlock::detect
