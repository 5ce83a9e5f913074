// Each is true only where the graph, built without it, leaves the rank dead.
#include "harness/detect/graph/actors/ruled_out.h"

#include <algorithm>

#include "harness/detect/graph/actors/several.h"
#include "harness/detect/graph/actors/sleeps_of.h"

namespace gridlock::detect {

using record::ProcessKey;

namespace {

bool only_stirs(const WaitGraph& graph, Index which) {
  return which != kNoIndex && graph.can(graph.stirs(which)) && !graph.can(graph.works(which));
}

}  // namespace

bool may_be_woken_by_the_clock(const WaitGraph& graph, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const Index which = graph.stirrer(snapshot.key);
  if (!only_stirs(graph, which)) return false;
  const auto is_idle = [&](const record::Sleep& sleep) {
    return sleep.asleep && std::ranges::count(sleep.wakers, snapshot.key) > 0;
  };
  return std::ranges::any_of(snapshot.threads, [&](const record::Thread& thread) {
    return thread.exists && (is_idle(thread.sleep) || is_idle(thread.in_launch));
  });
}

bool waits_for_a_launcher_that_naps(const WaitGraph& graph, const record::Snapshot& snapshot) {
  const auto waits = [&](const record::Sleep& sleep) {
    return sleep.asleep && std::ranges::any_of(sleep.wakers, [&](ProcessKey key) {
             return graph.launchers.contains(key) && only_stirs(graph, graph.stirrer(key));
           });
  };
  return std::ranges::any_of(snapshot.threads, [&](const record::Thread& thread) {
    return thread.exists && (waits(thread.sleep) || waits(thread.in_launch));
  });
}

bool naps(const WaitGraph& graph, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  return !graph.processes[process].gone && only_stirs(graph, graph.stirrer(snapshot.key)) &&
         std::ranges::any_of(snapshot.others, [&](const record::Sleeper& sleeper) {
           return sleeper.process == snapshot.key && sleeper.sleep.by_clock;
         });
}

bool helpers_may_work(const WaitGraph& graph) {
  return std::ranges::any_of(graph.snapshots, [&](const record::Snapshot& snapshot) {
    return std::ranges::any_of(snapshot.others, [&](const record::Sleeper& sleeper) {
      return sleeper.process != snapshot.key && sleeper.sleep.by_clock &&
             only_stirs(graph, graph.stirrer(sleeper.process));
    });
  });
}

bool one_beside_the_ranks_hears(const WaitGraph& graph) {
  return std::ranges::any_of(graph.snapshots, [](const record::Snapshot& snapshot) {
    return std::ranges::any_of(snapshot.others, &record::Sleeper::hears);
  });
}

bool waits_for_others(const record::Snapshot& snapshot) {
  return any_sleep_of(snapshot, [&](const record::Sleep& sleep) {
    return may_end_by_a_death(sleep, snapshot.key) ||
           (sleep.asleep && (sleep.by_anybody || !sleep.far_ends.empty()));
  });
}

bool ranks_may_signal(const WaitGraph& graph, const record::Snapshot& snapshot) {
  return snapshot.handles_outer_signal &&
         graph.stirs_or_is_unknown(several(graph, Several::of_ranks, snapshot.key));
}

bool launcher_may_restart(const WaitGraph& graph, const record::Snapshot& snapshot) {
  return snapshot.launcher != 0 &&
         graph.stirs_or_is_unknown(who_may_restart(graph, snapshot.launcher));
}

bool launchers_may_ask_to_end(const WaitGraph& graph, const record::Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.launchers,
                             [&](ProcessKey key) { return graph.stirs_or_is_unknown(key); });
}

bool launchers_may_kill_a_waker(const WaitGraph& graph, const record::Snapshot& snapshot) {
  const auto may_kill = [&](ProcessKey key) {
    return graph.stirs_or_is_unknown(several(graph, Several::launchers, key));
  };
  return any_sleep_of(snapshot, [&](const record::Sleep& sleep) {
    bool may = may_end_by_a_death(sleep, snapshot.key) && may_kill(snapshot.key);
    for_far_holders(graph, sleep, [&](ProcessKey key) { may |= may_kill(key); });
    return may;
  });
}

}  // namespace gridlock::detect
