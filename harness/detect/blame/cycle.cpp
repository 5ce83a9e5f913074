// Blame in a circle: the few that most wait for, those whose order differs, or everyone.
#include <algorithm>
#include <map>

#include "harness/detect/blame/judgement.h"

namespace gridlock::detect {

void Judgement::judge_cycle(const std::vector<Index>& processes, const std::vector<Index>& at) {
  bool all_self = true;
  bool all_enqueued = true;
  std::vector<Index> absent;    // from an initialisation
  std::vector<Index> minority;  // of points where most wait
  for (const Index index : at) {
    const Point& place = points_.points[index];
    for (const Index process : place.waiting) {
      all_self = all_self && std::any_of(place.missing.begin(), place.missing.end(),
                                         [&](const auto& one) { return one.process == process; });
    }
    for (const Point::Missing& missing : place.missing) {
      all_enqueued = all_enqueued && missing.enqueued;
      if (is_init(place)) absent.push_back(missing.process);
      if (place.came * 2 > place.members) minority.push_back(missing.process);
    }
  }
  const std::vector<Index> cycle = walk(processes);
  std::vector<Index> running;
  for (const Index process : processes) {
    if (hosts_ == Hosts::frozen && has_running_thread(process)) running.push_back(process);
  }
  const bool self = all_self && (absent.empty() || processes.size() == 1);
  if (all_enqueued && !self) {
    // The hosts have done their part; only the order on the streams is left to differ.
    found(Cause::cycle, odd_orders(processes, at), at, cycle);
  } else if (!all_enqueued && !running.empty()) {
    found(Cause::host_stuck, running, at);
  } else if (self) {
    found(Cause::self, processes, at, cycle);
  } else if (!absent.empty()) {
    found(Cause::init, absent, at, cycle);
  } else if (!minority.empty()) {
    found(Cause::missing_rank, minority, at, cycle);
  } else {
    found(Cause::cycle, processes, at, cycle);
  }
}

bool Judgement::has_running_thread(Index process) const {
  for (Index thread = g_.processes[process].first_thread;
       thread < g_.processes[process + 1].first_thread; ++thread) {
    if (!g_.threads[thread].blocked && g_.record_of_thread(thread).exists) return true;
  }
  return false;
}

// Those who come to the cycle's places in another order than most; everyone where there is no
// majority.
std::vector<Index> Judgement::odd_orders(const std::vector<Index>& processes,
                                         const std::vector<Index>& at) const {
  std::vector<bool> slots(g_.slots.size(), false);
  for (const Index index : at) {
    const Point& place = points_.points[index];
    if (place.kind == Kind::message) return processes;
    slots[place.at] = true;
  }
  std::map<std::vector<Index>, std::vector<Index>> of_order;
  for (const Index process : processes) {
    // A group takes its communicators in the order of their first calls.
    std::vector<std::pair<std::uint64_t, Index>> called;
    for (Index index = g_.processes[process].first_operation;
         index < g_.processes[process + 1].first_operation; ++index) {
      const WaitGraph::Operation& operation = g_.operations[index];
      const Index slot = g_.slot_of(operation);
      if (slot == kNoIndex || !slots[slot]) continue;
      const Index part = g_.part_of(operation);
      called.emplace_back(part == kNoIndex ? g_.source(operation).index : g_.parts[part].leader,
                          slot);
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
  // The same order on all: the streams were told to wait for each other, which is not an order.
  return odd.empty() ? processes : odd;
}

// From the first process on, always to the first that is missing, until one comes again.
std::vector<Index> Judgement::walk(const std::vector<Index>& processes) const {
  std::vector<Index> path;
  std::map<Index, std::size_t> seen;
  Index process = processes.front();
  while (seen.try_emplace(process, path.size()).second) {
    const Index first = edges_.first[process];
    const Index place = edges_.targets[first];
    path.push_back(process);
    path.push_back(place - processes_);
    process = edges_.targets[edges_.first[place]];
  }
  path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(seen[process]));
  return path;
}

}  // namespace gridlock::detect
