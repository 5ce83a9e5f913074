// Who is to blame: the ends of the paths from those who wait.
#include "harness/detect/blame.h"

#include <algorithm>
#include <map>

#include "harness/detect/components.h"

namespace gridlock::detect {
namespace {

using Kind = Point::Kind;

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

class Judgement {
 public:
  Judgement(const WaitGraph& graph, const Points& points, const Ledger* ledger, Hosts hosts)
      : g_(graph),
        points_(points),
        ledger_(ledger),
        hosts_(hosts),
        processes_(static_cast<Index>(graph.snapshots.size())) {}

  Blame find() {
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

 private:
  const Point& point(Index node) const { return points_.points[node - processes_]; }
  bool ends_here(const Point& point) const {
    return point.misfit || std::any_of(point.missing.begin(), point.missing.end(),
                                       [&](const auto& one) { return lost(one); });
  }
  // A member that closed the communicator will not come, whatever else it does.
  bool lost(const Point::Missing& one) const { return one.left && !g_.processes[one.process].gone; }

  void connect() {
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

  void judge(const std::vector<Index>& nodes) {
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

  // A point that leads nowhere: its calls do not fit, or a member has left.
  void judge_place(Index at) {
    const Point& place = points_.points[at];
    if (!place.misfit) {
      std::vector<Index> culprits;
      for (const Point::Missing& missing : place.missing) {
        if (lost(missing)) culprits.push_back(missing.process);
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
  std::vector<Index> misfits_at_init(const Point& place) const {
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

  // A process that waits for nobody.
  void judge_end(Index process) {
    const std::vector<Index>& at = missed_at_[process];
    if (at.empty()) return;  // waits for nobody, and nobody for it
    const bool only_init = std::all_of(at.begin(), at.end(),
                                       [&](Index index) { return is_init(points_.points[index]); });
    if (g_.processes[process].gone) {
      return found(only_init ? Cause::init : Cause::rank_exited, {process}, at);
    }
    found(hosts_ == Hosts::frozen ? Cause::host_stuck : Cause::missing_rank, {process}, at);
  }

  bool is_init(const Point& place) const {
    return place.kind == Kind::gathering && g_.gatherings[place.at].call == record::Call::comm_init;
  }

  void judge_cycle(const std::vector<Index>& processes, const std::vector<Index>& at) {
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
        if (place.missing.size() * 2 < place.members) minority.push_back(missing.process);
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

  bool has_running_thread(Index process) const {
    for (Index thread = g_.processes[process].first_thread;
         thread < g_.processes[process + 1].first_thread; ++thread) {
      if (!g_.threads[thread].blocked && g_.record_of_thread(thread).exists) return true;
    }
    return false;
  }

  // Those who come to the cycle's places in another order than most; everyone where there is no
  // majority.
  std::vector<Index> odd_orders(const std::vector<Index>& processes,
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
        if (operation.slot == kNoIndex || !slots[operation.slot]) continue;
        const bool alone = operation.part == kNoIndex;
        called.emplace_back(alone ? g_.source(operation).index : g_.parts[operation.part].leader,
                            operation.slot);
      }
      std::sort(called.begin(), called.end());
      std::vector<Index> order;
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
  std::vector<Index> walk(const std::vector<Index>& processes) const {
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

  void found(Cause cause, const std::vector<Index>& culprits, const std::vector<Index>& at,
             const std::vector<Index>& cycle = {}) {
    if (urgency(cause) > urgency(best_.cause)) return;
    if (urgency(cause) < urgency(best_.cause)) {
      best_ = {};
      best_.cause = cause;
      best_.cycle = cycle;
    }
    best_.culprits.insert(best_.culprits.end(), culprits.begin(), culprits.end());
    best_.points.insert(best_.points.end(), at.begin(), at.end());
  }

  const WaitGraph& g_;
  const Points& points_;
  const Ledger* ledger_;
  Hosts hosts_;
  Index processes_;
  Digraph edges_;
  std::vector<bool> involved_;
  std::vector<std::vector<Index>> missed_at_;  // points at which a process is missing
  Blame best_;
};

}  // namespace

Blame blame(const WaitGraph& graph, const Points& points, const Ledger* ledger, Hosts hosts) {
  return Judgement(graph, points, ledger, hosts).find();
}

}  // namespace gridlock::detect
