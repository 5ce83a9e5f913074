// Blame lies at the ends of the paths from the ranks that wait.
#include "harness/detect/blame/blame.h"

#include <algorithm>

#include "harness/detect/blame/cycle.h"
#include "harness/detect/blame/ends.h"
#include "harness/detect/blame/waits_for.h"
#include "harness/detect/blame/wakers.h"

namespace gridlock::detect {
namespace {

// Ranks causes by how well they explain a hang: the lowest number is reported.
int urgency(Cause cause) {
  switch (cause) {
    case Cause::mismatch:
      return 0;
    case Cause::rank_exited:
      return 1;
    case Cause::init:
      return 2;
    case Cause::self:
      return 3;
    case Cause::missing_rank:
      return 4;
    case Cause::cycle:
      return 5;
    case Cause::host_stuck:
      return 6;
    case Cause::device_stuck:  // after the hosts, because a device may wait for its own
      return 7;
    case Cause::network:  // not of the graph: see network.h
    case Cause::none:
      break;
  }
  return 8;
}

// Keeps what explains the hang best; merges findings of the same cause.
void keep(Blame& best, const Blame& found) {
  if (urgency(found.cause) > urgency(best.cause)) return;
  if (urgency(found.cause) < urgency(best.cause)) {
    best = found;
    return;
  }
  best.culprits.insert(best.culprits.end(), found.culprits.begin(), found.culprits.end());
  best.points.insert(best.points.end(), found.points.begin(), found.points.end());
}

// The nodes of every component that no edge leaves and in which something is involved: blame ends
// there.
std::vector<std::vector<Index>> ends_of(const WaitsFor& waits) {
  const Components components = strong_components(waits.edges);
  const Digraph& edges = waits.edges;
  std::vector<bool> left(components.count, false);
  std::vector<std::vector<Index>> nodes(components.count);
  for (Index node = 0; node < edges.first.size() - 1; ++node) {
    if (waits.involved[node]) nodes[components.of[node]].push_back(node);
    for (Index edge = edges.first[node]; edge < edges.first[node + 1]; ++edge) {
      if (components.of[edges.targets[edge]] != components.of[node]) {
        left[components.of[node]] = true;
      }
    }
  }
  std::vector<std::vector<Index>> ends;
  for (Index component = 0; component < components.count; ++component) {
    if (!left[component] && !nodes[component].empty()) ends.push_back(nodes[component]);
  }
  return ends;
}

// Whether a rank ended because NCCL told it that another rank is gone: its end is a consequence.
bool was_told(const WaitGraph& graph, Index process) {
  constexpr std::uint8_t kRemoteError = 6;  // ncclRemoteError
  return graph.processes[process].gone &&
         std::ranges::any_of(graph.snapshots[process].communicators, [](const auto& one) {
           return one.failed_call != record::Call::none && one.failed_result == kRemoteError;
         });
}

// Blames only ranks that ended by themselves, if there are any.
void excuse_those_told(const WaitGraph& graph, std::vector<Index>& culprits) {
  const auto told = [&](Index process) { return was_told(graph, process); };
  if (!std::ranges::all_of(culprits, told)) std::erase_if(culprits, told);
}

// Ranks that sleep in their own code, where nobody is left who could wake them: those that wait for
// no other rank, if there are any.
Blame blame_of_sleepers(const WaitGraph& graph) {
  Blame blame;
  Wakers wakers(graph);
  std::vector<Index> of_their_own;
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    if (graph.processes[process].gone || graph.can(graph.host(process))) continue;
    if (!wakers.has_sleeper(process)) continue;
    blame.culprits.push_back(process);
    if (wakers.of(process).empty()) of_their_own.push_back(process);
  }
  if (!of_their_own.empty()) blame.culprits = std::move(of_their_own);
  if (!blame.culprits.empty()) blame.cause = Cause::host_stuck;
  return blame;
}

}  // namespace

Blame blame(const WaitGraph& graph, const Points& points, const Ledger* ledger, Hosts hosts) {
  const WaitsFor waits = waits_for(graph, points);
  Blame best;
  for (const std::vector<Index>& nodes : ends_of(waits)) {
    std::vector<Index> processes;
    std::vector<Index> at;
    for (const Index node : nodes) {
      if (waits.is_sleep(node)) continue;
      (waits.is_process(node) ? processes : at)
          .push_back(waits.is_process(node) ? node : waits.point_of(node));
    }
    if (processes.empty()) {
      keep(best, blame_of_point(graph, points, ledger, at.front()));
    } else if (at.empty() && processes.size() == 1) {
      const Index last = processes.front();
      keep(best, blame_of_end(graph, points, hosts, last, waits.missed_at[last]));
    } else {
      keep(best, blame_of_cycle(graph, points, ledger, hosts, waits, processes, at));
    }
  }
  if (best.cause == Cause::none) best = blame_of_sleepers(graph);
  if (best.cause == Cause::rank_exited) excuse_those_told(graph, best.culprits);
  for (Index process = 0; process < waits.processes; ++process) {
    if (waits.by_loop[process]) best.by_loop.push_back(process);
  }
  std::sort(best.culprits.begin(), best.culprits.end());
  best.culprits.erase(std::unique(best.culprits.begin(), best.culprits.end()), best.culprits.end());
  return best;
}

}  // namespace gridlock::detect
