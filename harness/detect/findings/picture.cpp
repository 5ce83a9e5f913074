// Builds the graph again, and folds ranks that wait, and are missed, at the same points.
#include "harness/detect/findings/picture.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/detect/blame/blame.h"
#include "harness/detect/findings/describe.h"
#include "harness/detect/graph/actors/askers.h"
#include "harness/detect/graph/points.h"

namespace gridlock::detect {
namespace {

using EdgeKind = WaitPicture::Kind;

// A process's role at a point. Processes with the same roles are drawn as one node.
struct Role {
  Index point = 0;
  int as = 0;  // -1: it waits there; else the EdgeKind of its absence
  auto operator<=>(const Role&) const = default;
};

EdgeKind kind_of(const Point::Missing& missing) {
  if (missing.left) return EdgeKind::left;
  return missing.enqueued ? EdgeKind::queued : EdgeKind::absent;
}

class Painter {
 public:
  Painter(const WaitGraph& graph, const Points& points, const Blame& blamed, const Verdict& verdict)
      : graph_(graph), points_(points), blamed_(blamed), verdict_(verdict) {}

  WaitPicture paint(const CommunicatorNames& names) {
    fold(false);
    if (hides_a_step()) fold(true);
    for (Index point = 0; point < points_.points.size(); ++point) connect(point, names);
    connect_sleepers();
    if (std::none_of(picture_.edges.begin(), picture_.edges.end(),
                     [](const WaitPicture::Edge& edge) { return edge.matters; })) {
      for (WaitPicture::Edge& edge : picture_.edges) edge.matters = true;
    }
    return std::move(picture_);
  }

 private:
  bool is_culprit(Index process) const {
    return std::binary_search(verdict_.culprits.begin(), verdict_.culprits.end(),
                              graph_.snapshots[process].rank);
  }
  bool is_on_cycle(Index node) const {  // processes at even places, points at odd ones
    return step_of(node, 0);
  }
  bool step_of(Index value, std::size_t parity) const {
    for (std::size_t i = parity; i < blamed_.cycle.size(); i += 2) {
      if (blamed_.cycle[i] == value) return true;
    }
    return false;
  }

  // Whether a rank of the cycle waits for another rank in its own node, which would hide the cycle.
  bool hides_a_step() const {
    for (std::size_t i = 0; i < blamed_.cycle.size(); i += 2) {
      const Index next = blamed_.cycle[(i + 2) % blamed_.cycle.size()];
      if (node_of_process_[blamed_.cycle[i]] == node_of_process_[next]) return true;
    }
    return false;
  }

  // Makes a node for each set of roles; if `apart`, each rank of the cycle gets its own.
  void fold(bool apart) {
    picture_.nodes.clear();
    std::vector<std::set<Role>> roles(graph_.snapshots.size());
    for (Index point = 0; point < points_.points.size(); ++point) {
      for (const Index process : points_.points[point].waiting) roles[process].insert({point, -1});
      for (const Point::Missing& missing : points_.points[point].missing) {
        roles[missing.process].insert({point, static_cast<int>(kind_of(missing))});
      }
    }
    std::map<std::tuple<bool, int, std::set<Role>>, std::size_t> node_of;
    node_of_process_.assign(graph_.snapshots.size(), kNowhere);
    std::vector<Index> by_rank;
    for (Index process = 0; process < graph_.snapshots.size(); ++process) {
      by_rank.push_back(process);
    }
    std::sort(by_rank.begin(), by_rank.end(), [&](Index one, Index other) {
      return graph_.snapshots[one].rank < graph_.snapshots[other].rank;
    });
    for (const Index process : by_rank) {
      const bool culprit = is_culprit(process);
      if (roles[process].empty() && !culprit && !is_on_cycle(process)) continue;
      const int rank = graph_.snapshots[process].rank;
      const int alone = apart && is_on_cycle(process) ? rank : -1;
      const auto [known, is_new] =
          node_of.try_emplace({culprit, alone, std::move(roles[process])}, picture_.nodes.size());
      if (is_new) picture_.nodes.push_back({.ranks = {}, .culprit = culprit});
      picture_.nodes[known->second].ranks.push_back(rank);
      node_of_process_[process] = known->second;
    }
  }

  void connect(Index at, const CommunicatorNames& names) {
    const Point& point = points_.points[at];
    for (const Waiter& waiter : points_.waiters) {
      if (waiter.point != at) continue;
      const auto draw = [&](Index to, EdgeKind kind) { add(waiter, to, kind, names); };
      if (is_its_own(point)) {
        draw(waiter.process, EdgeKind::itself);
      }
      for (const Point::Missing& missing : point.missing) draw(missing.process, kind_of(missing));
      if (!point.misfit || is_culprit(waiter.process)) continue;
      // A rank that made another call there may wait at a point of its own, for a root.
      for (Index other = 0; other < graph_.snapshots.size(); ++other) {
        if (is_culprit(other)) draw(other, EdgeKind::differs);
      }
    }
  }

  void add(const Waiter& waiter, Index to, EdgeKind kind, const CommunicatorNames& names) {
    const std::size_t from_node = node_of_process_[waiter.process];
    const std::size_t to_node = node_of_process_[to];
    if (from_node == kNowhere || to_node == kNowhere) return;
    if (!drawn_.insert({from_node, to_node, waiter.point, kind}).second) return;
    const bool on_cycle = !blamed_.cycle.empty() && is_on_cycle(waiter.process) &&
                          is_on_cycle(to) && step_of(waiter.point, 1);
    const bool to_blame = is_culprit(to) && (blamed_.cycle.empty() || is_culprit(waiter.process));
    picture_.edges.push_back({.from = from_node,
                              .to = to_node,
                              .at = place_of(graph_, points_, names, waiter),
                              .asleep_on = {},
                              .kind = kind,
                              .matters = on_cycle || to_blame});
  }

  // The steps of the cycle that lead through no point.
  void connect_sleepers() {
    for (std::size_t i = 0; i < blamed_.cycle.size(); i += 2) {
      if (blamed_.cycle[i + 1] != kNoIndex) continue;
      const Index process = blamed_.cycle[i];
      const Index waker = blamed_.cycle[(i + 2) % blamed_.cycle.size()];
      picture_.edges.push_back({.from = node_of_process_[process],
                                .to = node_of_process_[waker],
                                .at = {},
                                .asleep_on = what_it_sleeps_on(graph_.snapshots[process]),
                                .kind = EdgeKind::wakes,
                                .matters = true});
    }
  }

  static constexpr std::size_t kNowhere = ~std::size_t{0};
  const WaitGraph& graph_;
  const Points& points_;
  const Blame& blamed_;
  const Verdict& verdict_;
  WaitPicture picture_;
  std::vector<std::size_t> node_of_process_;
  std::set<std::tuple<std::size_t, std::size_t, Index, EdgeKind>> drawn_;
};

}  // namespace

WaitPicture picture_of(std::span<const record::Snapshot> snapshots, const Parameters& parameters,
                       const Ledger& ledger, const Verdict& verdict) {
  Hosts hosts = verdict.outcome == Outcome::deadlock ? Hosts::may_act : Hosts::frozen;
  WaitGraph graph;
  Points points;
  std::vector<record::Snapshot> shown;
  const auto build = [&] {
    if (hosts == Hosts::frozen) {
      shown = with_askers(snapshots, parameters.now_ns);
      snapshots = shown;
    }
    graph.build(snapshots, parameters, &ledger, hosts);
    points = stuck_points(graph);
  };
  build();
  if (points.points.empty() && hosts == Hosts::may_act) {
    hosts = Hosts::frozen;
    build();
  }
  const Blame blamed = blame(graph, points, &ledger, hosts);
  return Painter(graph, points, blamed, verdict).paint(ledger.names());
}

}  // namespace gridlock::detect
