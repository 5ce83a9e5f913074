// Sorts edges by where they begin.
#include "harness/detect/blame/waits_for.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace gridlock::detect {
namespace {

bool leads_nowhere(const WaitGraph& graph, const Point& point) {
  return point.misfit || std::any_of(point.missing.begin(), point.missing.end(),
                                     [&](const auto& one) { return has_left(graph, one); });
}

using Sleepers = std::unordered_map<record::ProcessKey, std::vector<const record::Sleep*>>;

// Threads that are in no box, by their process.
Sleepers unrecorded_sleepers(const WaitGraph& graph) {
  Sleepers sleepers;
  for (const record::Snapshot& snapshot : graph.snapshots) {
    for (const record::Sleeper& one : snapshot.others) {
      sleepers[one.process].push_back(&one.sleep);
    }
  }
  return sleepers;
}

// The other ranks that a process's sleeping threads wait for in the end. A thread may wait for a
// helper, or for another thread of its process, which waits for another rank itself: a server in
// the rank waits for its clients. At a futex, where a thread may idle for ever, only threads that
// make recorded calls count as such others.
class RanksThatWake {
 public:
  explicit RanksThatWake(const WaitGraph& graph)
      : graph_(graph), unrecorded_(unrecorded_sleepers(graph)) {
    for (Index process = 0; process < graph.snapshots.size(); ++process) {
      const record::ProcessKey key = graph.snapshots[process].key;
      if (key != 0) of_key_.emplace(key, process);
    }
  }

  // Empty if there are none, or if a thread that makes recorded calls is awake.
  std::vector<Index> of(Index process) {
    ranks_.clear();
    followed_.clear();
    const record::Snapshot& snapshot = graph_.snapshots[process];
    for (const record::Thread& thread : snapshot.threads) {
      if (!thread.exists || thread.waits != record::Waits::nothing) continue;
      if (!thread.sleep.asleep || thread.sleep.for_signal) return {};
      add(thread.sleep, snapshot.key);
    }
    std::erase(ranks_, process);
    std::sort(ranks_.begin(), ranks_.end());
    ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
    return ranks_;
  }

 private:
  void add(const record::Sleep& sleep, record::ProcessKey own) {
    const bool may_idle = sleep.on == "a futex";
    for (const record::ProcessKey key : sleep.wakers) {
      const auto rank = of_key_.find(key);
      if (key != own && rank != of_key_.end()) {
        ranks_.push_back(rank->second);
      } else if (!may_idle || key != own) {
        follow(key, own);
      }
    }
  }

  void follow(record::ProcessKey process, record::ProcessKey own) {
    const auto found = unrecorded_.find(process);
    if (found == unrecorded_.end() || !followed_.insert(process).second) return;
    for (const record::Sleep* sleep : found->second) add(*sleep, own);
  }

  const WaitGraph& graph_;
  Sleepers unrecorded_;
  std::unordered_map<record::ProcessKey, Index> of_key_;
  std::vector<Index> ranks_;
  std::unordered_set<record::ProcessKey> followed_;
};

// A rank that others miss may sleep until one of them acts.
void add_sleeps(const WaitGraph& graph, WaitsFor& waits,
                std::vector<std::pair<Index, Index>>& edges) {
  std::vector<bool> waits_at_point(waits.processes, false);
  for (const auto& [from, to] : edges) {
    if (waits.is_process(from)) waits_at_point[from] = true;
  }
  RanksThatWake ranks_that_wake(graph);
  std::vector<Index> left;
  for (Index process = 0; process < waits.processes; ++process) {
    if (waits.involved[process]) left.push_back(process);
  }
  while (!left.empty()) {
    const Index process = left.back();
    left.pop_back();
    if (waits_at_point[process] || graph.processes[process].gone) continue;
    if (graph.can(graph.host(process))) continue;
    const Index sleep = waits.processes + waits.points + process;
    for (const Index waker : ranks_that_wake.of(process)) {
      if (!waits.involved[sleep]) edges.emplace_back(process, sleep);
      waits.involved[sleep] = true;
      edges.emplace_back(sleep, waker);
      if (!waits.involved[waker]) left.push_back(waker);
      waits.involved[waker] = true;
    }
  }
}

}  // namespace

WaitsFor waits_for(const WaitGraph& graph, const Points& points) {
  WaitsFor waits;
  waits.processes = static_cast<Index>(graph.snapshots.size());
  waits.points = static_cast<Index>(points.points.size());
  const Index processes = waits.processes;
  const Index nodes = processes + waits.points + processes;
  std::vector<std::pair<Index, Index>> edges;
  waits.involved.assign(nodes, false);
  waits.missed_at.assign(processes, {});
  for (Index index = 0; index < points.points.size(); ++index) {
    const Point& at = points.points[index];
    waits.involved[processes + index] = true;
    for (const Index process : at.waiting) {
      edges.emplace_back(process, processes + index);
      waits.involved[process] = true;
    }
    if (leads_nowhere(graph, at)) continue;
    for (const Point::Missing& missing : at.missing) {
      edges.emplace_back(processes + index, missing.process);
      std::vector<Index>& missed = waits.missed_at[missing.process];
      if (missed.empty() || missed.back() != index) missed.push_back(index);
      waits.involved[missing.process] = true;
    }
  }
  add_sleeps(graph, waits, edges);
  waits.edges.first.assign(nodes + 1, 0);
  for (const auto& [from, to] : edges) ++waits.edges.first[from + 1];
  for (Index node = 0; node < nodes; ++node) waits.edges.first[node + 1] += waits.edges.first[node];
  waits.edges.targets.resize(edges.size());
  std::vector<Index> next(waits.edges.first.begin(), waits.edges.first.end() - 1);
  for (const auto& [from, to] : edges) waits.edges.targets[next[from]++] = to;
  return waits;
}

bool has_left(const WaitGraph& graph, const Point::Missing& one) {
  return one.left && !graph.processes[one.process].gone;
}

bool is_init(const WaitGraph& graph, const Point& point) {
  return point.kind == Point::Kind::gathering &&
         graph.gatherings[point.at].call == record::Call::comm_init;
}

}  // namespace gridlock::detect
