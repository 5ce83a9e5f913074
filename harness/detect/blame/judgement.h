// How blame is found: the points at which something is stuck and the processes that are missing
// there make a graph; blame lies where its paths end. Internal to blame.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/detect/blame/blame.h"
#include "harness/detect/graph/components.h"

namespace gridlock::detect {

class Judgement {
 public:
  // `ledger` may be null. All must outlive the judgement.
  Judgement(const WaitGraph& graph, const Points& points, const Ledger* ledger, Hosts hosts)
      : g_(graph),
        points_(points),
        ledger_(ledger),
        hosts_(hosts),
        processes_(static_cast<Index>(graph.snapshots.size())) {}

  Blame find();

 private:
  using Kind = Point::Kind;

  const Point& point(Index node) const { return points_.points[node - processes_]; }
  bool ends_here(const Point& point) const {
    return point.misfit || std::any_of(point.missing.begin(), point.missing.end(),
                                       [&](const auto& one) { return lost(one); });
  }
  // A member that closed the communicator will not come, whatever else it does.
  bool lost(const Point::Missing& one) const { return one.left && !g_.processes[one.process].gone; }
  bool is_init(const Point& place) const;

  // blame.cpp
  void connect();
  void judge(const std::vector<Index>& nodes);
  void found(Cause cause, const std::vector<Index>& culprits, const std::vector<Index>& at,
             const std::vector<Index>& cycle = {});
  // blame_ends.cpp
  void judge_place(Index at);
  std::vector<Index> misfits_at_init(const Point& place) const;
  void judge_end(Index process);
  std::vector<Index> odd_callers(const Point& place) const;
  // blame_cycle.cpp
  void judge_cycle(const std::vector<Index>& processes, const std::vector<Index>& at);
  bool has_running_thread(Index process) const;
  std::vector<Index> odd_orders(const std::vector<Index>& processes,
                                const std::vector<Index>& at) const;
  std::vector<Index> walk(const std::vector<Index>& processes) const;

  const WaitGraph& g_;
  const Points& points_;
  const Ledger* ledger_;
  Hosts hosts_;
  Index processes_;
  Digraph edges_;  // processes, and behind them points
  std::vector<bool> involved_;
  std::vector<std::vector<Index>> missed_at_;  // points at which a process is missing
  Blame best_;
};

}  // namespace gridlock::detect
