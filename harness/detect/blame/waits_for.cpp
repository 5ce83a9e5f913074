// Sorts edges by where they begin.
#include "harness/detect/blame/waits_for.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "harness/detect/blame/wakers.h"

namespace gridlock::detect {
namespace {

bool leads_nowhere(const WaitGraph& graph, const Point& point) {
  return point.misfit || std::any_of(point.missing.begin(), point.missing.end(),
                                     [&](const auto& one) { return has_left(graph, one); });
}

using Edges = std::vector<std::pair<Index, Index>>;

void add_sleep(WaitsFor& waits, Edges& edges, Index process, const std::vector<Index>& wakers) {
  const Index sleep = waits.processes + waits.points + process;
  edges.emplace_back(process, sleep);
  waits.involved[sleep] = true;
  for (const Index waker : wakers) {
    edges.emplace_back(sleep, waker);
    waits.involved[waker] = true;
  }
}

// In most ranks a thread waits for an event loop, as in a barrier of Gloo's, and the others wait in
// recorded calls: so these are what the loops wait for. Otherwise a loop says nothing.
void add_loops(const WaitGraph& graph, const Points& points, WaitsFor& waits, Wakers& wakers,
               Edges& edges) {
  std::map<Index, std::vector<Index>> loops;
  std::set<Index> others;
  for (Index process = 0; process < waits.processes; ++process) {
    if (!waits.involved[process] || graph.processes[process].gone) continue;
    if (graph.can(graph.host(process))) continue;
    std::vector<Index> peers = wakers.of_loops(process);
    if (!peers.empty()) loops.emplace(process, std::move(peers));
  }
  for (const auto& [process, peers] : loops) others.insert(peers.begin(), peers.end());
  std::erase_if(others, [&](Index process) { return loops.contains(process); });
  if (others.empty() || loops.size() <= others.size()) return;
  const bool all_wait = std::ranges::all_of(others, [&](Index process) {
    return std::ranges::any_of(points.points, [=](const Point& at) {
      return std::ranges::binary_search(at.waiting, process);
    });
  });
  if (!all_wait) return;
  for (auto& [process, peers] : loops) {
    std::erase_if(peers, [&](Index peer) { return !others.contains(peer); });
    if (peers.empty()) continue;
    add_sleep(waits, edges, process, peers);
    waits.by_loop[process] = true;
  }
}

// A rank that others miss may sleep until one of them acts, also while another of its threads waits
// at a point.
void add_sleeps(const WaitGraph& graph, const Points& points, WaitsFor& waits, Edges& edges) {
  Wakers wakers(graph);
  std::vector<Index> left;
  for (Index process = 0; process < waits.processes; ++process) {
    if (waits.involved[process]) left.push_back(process);
  }
  while (!left.empty()) {
    const Index process = left.back();
    left.pop_back();
    if (graph.processes[process].gone || graph.can(graph.host(process))) continue;
    const std::vector<Index> of = wakers.of(process);
    if (of.empty()) continue;
    std::ranges::copy_if(of, std::back_inserter(left),
                         [&](Index waker) { return !waits.involved[waker]; });
    add_sleep(waits, edges, process, of);
  }
  add_loops(graph, points, waits, wakers, edges);
}

}  // namespace

WaitsFor waits_for(const WaitGraph& graph, const Points& points) {
  WaitsFor waits;
  waits.processes = static_cast<Index>(graph.snapshots.size());
  waits.points = static_cast<Index>(points.points.size());
  const Index processes = waits.processes;
  const Index nodes = processes + waits.points + processes;
  Edges edges;
  waits.involved.assign(nodes, false);
  waits.by_loop.assign(processes, false);
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
  add_sleeps(graph, points, waits, edges);
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
