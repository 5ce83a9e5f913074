// Each of its wakers can alone.
#include "harness/detect/graph/actors/wakers.h"

#include <algorithm>

#include "harness/detect/graph/actors/several.h"

namespace gridlock::detect {

using record::ProcessKey;
using record::Signals;

void find_stirrers(WaitGraph& graph, Hosts hosts) {
  graph.stirrer_of_key.clear();
  graph.holders_of_far_ends.clear();
  graph.launchers.clear();
  graph.sidecars.clear();
  graph.shared_hosts = SharedHosts(graph.snapshots);
  for (const record::Snapshot& snapshot : graph.snapshots) {
    for (const record::FarConnection& one : snapshot.connections) {
      graph.holders_of_far_ends.emplace(one.name, one.holder);
    }
  }
  if (hosts == Hosts::frozen) return;
  const auto enter = [&](ProcessKey key) {
    graph.stirrer_of_key.try_emplace(key, static_cast<Index>(graph.stirrer_of_key.size()));
  };
  const auto enter_wakers_of_all = [&](const record::Sleep& sleep, ProcessKey process) {
    if (sleep.by_anybody) enter(several(graph, Several::anybody, process));
    if (sleep.listens) enter(kAnybodyOfJob);
    if (may_end_by_a_death(sleep, process)) {
      enter(several(graph, Several::of_ranks, process));
      enter(several(graph, Several::launchers, process));
    }
    for_far_holders(graph, sleep, [&](ProcessKey key) {
      enter(several(graph, Several::of_ranks, key));
      enter(several(graph, Several::launchers, key));
    });
  };
  for (const record::Snapshot& snapshot : graph.snapshots) {
    if (snapshot.key != 0) enter(snapshot.key);
    for (const record::Thread& thread : snapshot.threads) {
      enter_wakers_of_all(thread.sleep, snapshot.key);
      enter_wakers_of_all(thread.in_launch, snapshot.key);
    }
    for (const record::Sleeper& sleeper : snapshot.others) {
      enter(sleeper.process);
      enter_wakers_of_all(sleeper.sleep, sleeper.process);
      if (!sleeper.of_rank) {
        (sleeper.launches ? graph.launchers : graph.sidecars).insert(sleeper.process);
      }
    }
    if (has_ended_too(snapshot.launcher)) enter(who_may_restart(graph, snapshot.launcher));
    // Any process of the host can send a signal.
    if (snapshot.signals != Signals::none || snapshot.handles_outer_signal) {
      enter(several(graph, Several::of_ranks, snapshot.key));
    }
  }
}

void need_waker(WaitGraph& graph, const record::Sleep& sleep, ProcessKey process, NodeId node,
                Wakes wakes) {
  const auto needs = [&](ProcessKey key, bool works) {
    const Index waker = graph.stirrer(key);
    if (waker == kNoIndex) {
      graph.need[node] = 0;
    } else {
      const NodeId by = works ? graph.works(waker) : graph.stirs(waker);
      if (by != node) graph.edges.add(by, node);
    }
  };
  const bool by_workers = wakes == Wakes::who_works;
  // What a process beside the ranks gives to one that waits for it counts, even if it only naps.
  const auto must_work = [&](ProcessKey key) {
    return graph.launchers.contains(key) ? wakes != Wakes::who_stirs
                                         : by_workers && !graph.sidecars.contains(key);
  };
  const auto may_be_woken_by = [&](ProcessKey key) {
    needs(key, key == process ? !sleep.for_napper : must_work(key));
  };
  if (sleep.by_anybody) may_be_woken_by(several(graph, Several::anybody, process));
  if (sleep.listens) may_be_woken_by(kAnybodyOfJob);
  // A rank that stirs, or a process that one has started, may kill a waker that is stuck. Without
  // `strict`, assume that no launcher does: see launchers_may_kill_a_waker().
  if (may_end_by_a_death(sleep, process)) {
    // Who naps kills neither a launcher nor one of those that must work.
    const bool by_workers_only = std::ranges::all_of(
        sleep.wakers, [&](ProcessKey key) { return key == process || must_work(key); });
    needs(several(graph, Several::of_ranks, process), by_workers_only);
    if (graph.parameters.strict) may_be_woken_by(several(graph, Several::launchers, process));
  }
  std::ranges::for_each(sleep.wakers, may_be_woken_by);
  const bool are_known = for_far_holders(graph, sleep, [&](ProcessKey key) {
    needs(key, by_workers);
    needs(several(graph, Several::of_ranks, key), by_workers);
    if (graph.parameters.strict) needs(several(graph, Several::launchers, key), false);
  });
  if (!are_known) graph.need[node] = 0;
}

}  // namespace gridlock::detect
