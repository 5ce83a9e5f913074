// A cycle of waits is judged by what its members have called so far.
#include "harness/detect/blame/cycle.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "harness/detect/blame/circles.h"
#include "harness/detect/blame/victims.h"

namespace gridlock::detect {
namespace {

// Whether only threads of its own process can wake it.
bool waits_for_own(const record::Sleep& sleep, record::ProcessKey own) {
  return sleep.asleep && sleep.far_ends.empty() && !sleep.for_signal &&
         std::ranges::all_of(sleep.wakers, [own](record::ProcessKey key) { return key == own; });
}

// Whether code of the host may be what the others wait for. A thread that waits for others of its
// process is not, if all of those wait too.
bool runs_host_code(const WaitGraph& graph, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  bool one_sleeps = false;
  for (Index thread = graph.processes[process].first_thread;
       thread < graph.processes[process + 1].first_thread; ++thread) {
    const record::Thread& record = graph.record_of_thread(thread);
    if (graph.threads[thread].blocked || !record.exists) continue;
    if (!waits_for_own(record.sleep, snapshot.key)) return true;
    one_sleeps = true;
  }
  return one_sleeps && std::ranges::any_of(snapshot.others, [&](const record::Sleeper& one) {
           return one.process == snapshot.key && !waits_for_own(one.sleep, snapshot.key);
         });
}

// The processes that reach the cycle's places in another order than most do; all processes if there
// is no majority.
std::vector<Index> odd_orders(const WaitGraph& graph, const Points& points,
                              const std::vector<Index>& processes, const std::vector<Index>& at) {
  std::vector<bool> slots(graph.slots.size(), false);
  for (const Index index : at) {
    const Point& place = points.points[index];
    if (place.kind == Point::Kind::message) return processes;
    slots[place.at] = true;
  }
  std::map<std::vector<Index>, std::vector<Index>> of_order;
  for (const Index process : processes) {
    // If a group's communicators have an order, it is that of their first calls.
    std::vector<std::pair<std::uint64_t, Index>> called;
    for (Index index = graph.processes[process].first_operation;
         index < graph.processes[process + 1].first_operation; ++index) {
      const WaitGraph::Operation& operation = graph.operations[index];
      const Index slot = graph.slot_of(operation);
      if (slot == kNoIndex || !slots[slot]) continue;
      const Index part = graph.part_of(operation);
      called.emplace_back(
          part == kNoIndex ? graph.source(operation).index : graph.parts[part].leader, slot);
    }
    std::sort(called.begin(), called.end());
    std::vector<Index> order;
    order.reserve(called.size());
    for (const auto& one : called) order.push_back(one.second);
    of_order[order].push_back(process);
  }
  std::vector<Index> odd;
  for (const auto& [order, same] : of_order) {
    if (same.size() * 2 <= processes.size()) odd.insert(odd.end(), same.begin(), same.end());
  }
  // All have the same order: the streams were told to wait for each other, and that blames no
  // order.
  return odd.empty() ? processes : odd;
}

// Whether the process waits in a call that half of the members have made, itself among them, or for
// messages of one other process alone, or asleep for any of some. Neither half is odd, so it may be
// a victim of the other.
bool may_be_a_victim(const Points& points, const WaitsFor& waits, Index process,
                     const std::vector<Index>& at) {
  if (waits.involved[waits.processes + waits.points + process]) return true;
  std::set<Index> others;
  for (const Index index : at) {
    const Point& place = points.points[index];
    if (!std::ranges::binary_search(place.waiting, process)) continue;
    if (place.kind == Point::Kind::message || place.kind == Point::Kind::connect_pair) {
      for (const Point::Missing& missing : place.missing) others.insert(missing.process);
    } else if (place.members != 0 && place.came * 2 == place.members) {
      return true;
    }
  }
  return others.size() == 1;
}

// The processes that are missing where most have come, but for victims. A rank may be missing at
// one place because it waits with most of another's members, so only the places with the fewest
// missing ranks count: their difference alone explains the cycle.
std::vector<Index> missing_alone(const Points& points, Victims* victims,
                                 const std::vector<Index>& at) {
  std::vector<Index> alone;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const Index index : at) {
    const Point& place = points.points[index];
    if (place.came * 2 <= place.members) continue;
    std::vector<Index> missing;
    for (const Point::Missing& one : place.missing) {
      if (victims == nullptr || !victims->has(one, index)) missing.push_back(one.process);
    }
    // Which processes an initialisation lacks is not known, but how many.
    const std::size_t count = std::min<std::size_t>(missing.size(), place.members - place.came);
    if (missing.empty() || count > fewest) continue;
    if (count < fewest) alone.clear();
    fewest = count;
    alone.insert(alone.end(), missing.begin(), missing.end());
  }
  // All are victims: of each other.
  return alone.empty() && victims != nullptr ? missing_alone(points, nullptr, at) : alone;
}

// Without those that wait with the majority alone, where somebody else is missing. They miss a call
// only because they wait there. All, if the others do not wait for each other.
std::vector<Index> without_majorities(const Points& points, const WaitsFor& waits,
                                      const std::vector<Index>& processes,
                                      const std::vector<Index>& at) {
  std::vector<Index> others;
  std::ranges::copy_if(processes, std::back_inserter(others), [&](Index process) {
    return waits.involved[waits.processes + waits.points + process] ||
           std::ranges::any_of(at, [&](Index index) {
             const Point& place = points.points[index];
             const bool most_came = place.members != 0 && place.came * 2 > place.members;
             return !most_came && std::ranges::binary_search(place.waiting, process);
           });
  });
  const std::vector<Index> left = still_in_cycles(waits, others);
  return left.empty() ? processes : left;
}

}  // namespace

Blame blame_of_cycle(const WaitGraph& graph, const Points& points, const Ledger* ledger,
                     Hosts hosts, const WaitsFor& waits, const std::vector<Index>& processes,
                     const std::vector<Index>& at) {
  if (at.empty()) {
    // All sleep until another one of them acts.
    std::vector<Index> missed;
    for (const Index process : processes) {
      const std::vector<Index>& of = waits.missed_at[process];
      missed.insert(missed.end(), of.begin(), of.end());
    }
    return Blame{Cause::cycle, processes, missed, walk(waits, processes)};
  }
  bool all_self = true;
  bool all_enqueued = true;
  std::vector<Index> absent;  // from an initialisation
  for (const Index index : at) {
    const Point& place = points.points[index];
    for (const Index process : place.waiting) {
      all_self = all_self && std::any_of(place.missing.begin(), place.missing.end(),
                                         [&](const auto& one) { return one.process == process; });
    }
    for (const Point::Missing& missing : place.missing) {
      all_enqueued = all_enqueued && missing.enqueued;
      if (is_init(graph, place)) absent.push_back(missing.process);
    }
  }
  Victims victims(graph, points, ledger, at);
  const std::vector<Index> minority = missing_alone(points, &victims, at);
  const bool may_be_victims = std::ranges::any_of(
      minority, [&](Index process) { return may_be_a_victim(points, waits, process, at); });
  const std::vector<Index> cycle = walk(waits, processes);
  std::vector<Index> running;
  for (const Index process : processes) {
    if (hosts == Hosts::frozen && runs_host_code(graph, process)) running.push_back(process);
  }
  const bool self = all_self && (absent.empty() || processes.size() == 1);
  if (all_enqueued && !self) {
    // The hosts have made all calls, so only the order on the streams can differ.
    return Blame{Cause::cycle, odd_orders(graph, points, processes, at), at, cycle};
  }
  if (!all_enqueued && !running.empty()) return Blame{Cause::host_stuck, running, at};
  if (self) return Blame{Cause::self, processes, at, cycle};
  const bool is_odd = !minority.empty() && !may_be_victims;
  // A rank that is absent from an initialisation may wait for one that came too early.
  const bool absent_are_odd = std::ranges::all_of(
      minority, [&](Index process) { return std::ranges::find(absent, process) != absent.end(); });
  if (!absent.empty() && (!is_odd || absent_are_odd)) {
    return Blame{Cause::init, is_odd ? minority : processes, at, cycle};
  }
  if (is_odd) return Blame{Cause::missing_rank, minority, at, cycle};
  const std::vector<Index> core = without_majorities(points, waits, processes, at);
  const std::vector<Index> odd = on_every_cycle(waits, core);
  return Blame{odd.size() == 1 ? Cause::missing_rank : Cause::cycle, odd, at, walk(waits, core)};
}

}  // namespace gridlock::detect
