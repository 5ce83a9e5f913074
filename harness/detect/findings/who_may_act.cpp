// The kernel's word on each thread, and what the graph made of it.
#include "harness/detect/findings/who_may_act.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/detect/graph/actors/sleepers.h"

namespace gridlock::detect {
namespace {

using Actor = phrase::MayAct::Actor;

class Actors {
 public:
  explicit Actors(const WaitGraph& graph) : graph_(graph) {
    for (const record::Snapshot& snapshot : graph.snapshots) rank_of_[snapshot.key] = snapshot.rank;
  }

  std::vector<Actor> all() {
    for (Index process = 0; process < graph_.snapshots.size(); ++process) {
      const record::Snapshot& snapshot = graph_.snapshots[process];
      if (snapshot.key != 0 && !graph_.processes[process].gone) add_recorded_threads(process);
      for (const record::Sleeper& sleeper : snapshot.others) add_other(sleeper);
    }
    return std::move(actors_);
  }

 private:
  bool is_unprompted(NodeId node) const {
    return std::ranges::binary_search(graph_.unprompted, node);
  }

  void add_recorded_threads(Index process) {
    const record::Snapshot& snapshot = graph_.snapshots[process];
    const Index first = graph_.processes[process].first_thread;
    for (Index index = 0; index < snapshot.threads.size(); ++index) {
      const record::Thread& thread = snapshot.threads[index];
      const Index node = first + index;
      if (!thread.exists || graph_.threads[node].blocked) continue;
      if (!is_unprompted(graph_.thread(node))) continue;
      Actor actor = told(thread, thread.tid == snapshot.pid);
      if (thread.waits != record::Waits::nothing) actor.call = thread.call;
      add(std::move(actor), snapshot.rank);
    }
    if (snapshot.signals == record::Signals::timed) {
      add({.kind = Actor::Kind::signal}, snapshot.rank);
    }
  }

  void add_other(const record::Sleeper& sleeper) {
    const Index which = graph_.stirrer(sleeper.process);
    if (which == kNoIndex || needs_help(sleeper.sleep)) return;
    const auto acts = [this](NodeId node) { return is_unprompted(node) && reaches_a_rank(node); };
    if (!acts(graph_.stirs(which)) && !acts(graph_.works(which))) return;
    const std::int64_t pid = record::pid_of(sleeper.process);
    Actor actor = told(sleeper, sleeper.tid == pid);
    const auto rank = rank_of_.find(sleeper.process);
    if (rank != rank_of_.end()) return add(std::move(actor), rank->second);
    actor.kind = Actor::Kind::process;
    actor.process = pid;
    actors_.push_back(std::move(actor));
  }

  // Whether it sleeps, and all who can wake it are known.
  bool needs_help(const record::Sleep& sleep) const {
    return sleeps(graph_, sleep) &&
           std::ranges::all_of(
               sleep.wakers,
               [&](record::ProcessKey key) { return graph_.stirrer(key) != kNoIndex; }) &&
           std::ranges::all_of(sleep.far_ends, [&](const std::string& name) {
             return graph_.holders_of_far_ends.contains(name);
           });
  }

  // Whether what it does may let a thread of a rank act that could not otherwise.
  bool reaches_a_rank(NodeId from) const {
    std::set<NodeId> seen{from};
    std::vector<NodeId> open{from};
    while (!open.empty()) {
      const NodeId node = open.back();
      open.pop_back();
      if (node >= graph_.thread(0) && node < graph_.future(0)) return true;
      for (const NodeId target : graph_.edges.targets(node)) {
        if (seen.insert(target).second) open.push_back(target);
      }
    }
    return false;
  }

  template <class ThreadOf>
  Actor told(const ThreadOf& thread, bool is_first) const {
    return {.kind = is_first ? Actor::Kind::main_thread : Actor::Kind::thread,
            .name = thread.name,
            .state = thread.state,
            .syscall = thread.syscall,
            .awake = thread.sleep.awake,
            .limit_ns = thread.sleep.limit_ns};
  }

  // Equal actors of several ranks are one.
  void add(Actor actor, int rank) {
    const auto same = std::ranges::find_if(actors_, [&](const Actor& one) {
      Actor other = one;
      other.ranks.clear();
      return other == actor;
    });
    Actor& entry = same != actors_.end() ? *same : actors_.emplace_back(std::move(actor));
    if (entry.ranks.empty() || entry.ranks.back() != rank) entry.ranks.push_back(rank);
  }

  const WaitGraph& graph_;
  std::unordered_map<record::ProcessKey, int> rank_of_;
  std::vector<Actor> actors_;
};

}  // namespace

std::optional<phrase::MayAct> who_may_act(const WaitGraph& graph) {
  phrase::MayAct found{Actors(graph).all()};
  if (found.actors.empty()) return std::nullopt;
  return found;
}

}  // namespace gridlock::detect
