// Who is to blame: the ends of the paths from those who wait.
#include "harness/detect/blame/blame.h"

#include <algorithm>

#include "harness/detect/blame/judgement.h"

namespace gridlock::detect {
namespace {

// Causes in the order in which they explain a hang: what comes first is told.
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
    case Cause::none:
      break;
  }
  return 7;
}

}  // namespace

Blame Judgement::find() {
  connect();
  const Components components = strong_components(edges_);
  // Components that no edge leaves are where blame ends.
  std::vector<bool> left(components.count, false);
  std::vector<std::vector<Index>> nodes(components.count);
  for (Index node = 0; node < edges_.first.size() - 1; ++node) {
    if (involved_[node]) nodes[components.of[node]].push_back(node);
    for (Index edge = edges_.first[node]; edge < edges_.first[node + 1]; ++edge) {
      if (components.of[edges_.targets[edge]] != components.of[node]) {
        left[components.of[node]] = true;
      }
    }
  }
  for (Index component = 0; component < components.count; ++component) {
    if (!left[component] && !nodes[component].empty()) judge(nodes[component]);
  }
  std::sort(best_.culprits.begin(), best_.culprits.end());
  best_.culprits.erase(std::unique(best_.culprits.begin(), best_.culprits.end()),
                       best_.culprits.end());
  return std::move(best_);
}

void Judgement::connect() {
  const auto nodes = processes_ + static_cast<Index>(points_.points.size());
  std::vector<std::pair<Index, Index>> edges;
  involved_.assign(nodes, false);
  missed_at_.assign(processes_, {});
  for (Index index = 0; index < points_.points.size(); ++index) {
    const Point& at = points_.points[index];
    involved_[processes_ + index] = true;
    for (const Index process : at.waiting) {
      edges.emplace_back(process, processes_ + index);
      involved_[process] = true;
    }
    if (ends_here(at)) continue;
    for (const Point::Missing& missing : at.missing) {
      edges.emplace_back(processes_ + index, missing.process);
      std::vector<Index>& missed = missed_at_[missing.process];
      if (missed.empty() || missed.back() != index) missed.push_back(index);
      involved_[missing.process] = true;
    }
  }
  edges_.first.assign(nodes + 1, 0);
  for (const auto& [from, to] : edges) ++edges_.first[from + 1];
  for (Index node = 0; node < nodes; ++node) edges_.first[node + 1] += edges_.first[node];
  edges_.targets.resize(edges.size());
  std::vector<Index> next(edges_.first.begin(), edges_.first.end() - 1);
  for (const auto& [from, to] : edges) edges_.targets[next[from]++] = to;
}

void Judgement::judge(const std::vector<Index>& nodes) {
  std::vector<Index> processes;
  std::vector<Index> points;
  for (const Index node : nodes) {
    if (node < processes_) {
      processes.push_back(node);
    } else {
      points.push_back(node - processes_);
    }
  }
  if (processes.empty()) {
    judge_place(points.front());
  } else if (points.empty()) {
    judge_end(processes.front());
  } else {
    judge_cycle(processes, points);
  }
}

void Judgement::found(Cause cause, const std::vector<Index>& culprits, const std::vector<Index>& at,
                      const std::vector<Index>& cycle) {
  if (urgency(cause) > urgency(best_.cause)) return;
  if (urgency(cause) < urgency(best_.cause)) {
    best_ = {};
    best_.cause = cause;
    best_.cycle = cycle;
  }
  best_.culprits.insert(best_.culprits.end(), culprits.begin(), culprits.end());
  best_.points.insert(best_.points.end(), at.begin(), at.end());
}

Blame blame(const WaitGraph& graph, const Points& points, const Ledger* ledger, Hosts hosts) {
  return Judgement(graph, points, ledger, hosts).find();
}

}  // namespace gridlock::detect
