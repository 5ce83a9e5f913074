// All waits here are OR: a node needs one of its wakers and ignores the rest.
#include "harness/detect/graph/actors/sleepers.h"

#include <algorithm>
#include <unordered_set>

#include "harness/detect/calls/rules.h"
#include "harness/detect/graph/actors/several.h"
#include "harness/detect/graph/actors/wakers.h"
#include "harness/detect/graph/units.h"

namespace gridlock::detect {

using record::ProcessKey;
using record::Signals;

namespace {

// Work on the device that may run code of the program stirs its process.
void need_code_of_stream(WaitGraph& graph, Index stream, NodeId stirs) {
  const WaitGraph::Stream& of = graph.streams[stream];
  // The first unit comes before all others, unless two threads put work on the stream at once.
  const Index may_come_first = of.unordered ? of.units : std::min<Index>(of.units, 1);
  for (Index unit = of.first_unit; unit < of.first_unit + may_come_first; ++unit) {
    const record::Operation* operation = operation_of(graph, of.process, unit);
    // MPI's work runs no code of the program, but for the operators that it made (count 0).
    const bool is_mpis_own = of.mpi && operation != nullptr &&
                             (!has_reduction(operation->call) || operation->count != 0);
    if (is_mpis_own) continue;
    graph.edges.add(graph.pass(unit), stirs);
    // A graph may call them before its communications, or beside them.
    if (operation != nullptr && operation->graph == record::Graph::calls_host) {
      graph.edges.add(graph.reach(unit), stirs);
    }
  }
}

// It needs nothing for that.
void let_stir(WaitGraph& graph, Index which) {
  graph.need[graph.stirs(which)] = 0;
  graph.need[graph.works(which)] = 0;
}

void need_stirrer(WaitGraph& graph, Index process, Index which) {
  const NodeId stirs = graph.stirs(which);
  const NodeId works = graph.works(which);
  const record::Snapshot& snapshot = graph.snapshots[process];
  const WaitGraph::Process& of = graph.processes[process];
  const NodeId host = graph.host(process);
  if (of.gone) {
    graph.never(works);
    return graph.never(stirs);
  }
  const bool shows_threads =
      is_driven(snapshot) ||
      std::any_of(snapshot.others.begin(), snapshot.others.end(),
                  [&](const record::Sleeper& sleeper) { return sleeper.process == snapshot.key; });
  const bool is_unknown = !of.trusted || snapshot.cuda_unseen || !shows_threads;
  if (is_unknown || snapshot.has_destructors) let_stir(graph, which);
  for (Index thread = of.first_thread; thread < graph.processes[process + 1].first_thread;
       ++thread) {
    graph.edges.add(graph.thread(thread), works);
  }
  if (device_may_run_code(graph, process)) {
    for (Index stream = of.first_stream; stream < graph.processes[process + 1].first_stream;
         ++stream) {
      need_code_of_stream(graph, stream, works);
    }
  }
  graph.edges.add(host, works);
  // A signal's handler runs whatever the threads wait for.
  if (snapshot.signals == Signals::timed) {
    let_stir(graph, which);
    graph.need[host] = 0;
  } else if (snapshot.signals != Signals::none) {
    const Index all = graph.stirrer(several(graph, Several::of_ranks, snapshot.key));
    // A child that only naps does not end.
    const bool by_workers = snapshot.signals == Signals::by_children && !graph.parameters.strict;
    const NodeId ranks = by_workers ? graph.works(all) : graph.stirs(all);
    // Without `strict`, assume that no launcher and nobody outside the job sends one.
    if (graph.parameters.strict) {
      let_stir(graph, which);
      graph.need[host] = 0;
    }
    graph.edges.add(ranks, works);
    graph.edges.add(ranks, host);
  }
  // Without `strict`, assume that none comes: see ranks_may_signal().
  if (graph.parameters.strict && snapshot.handles_outer_signal) {
    const NodeId ranks =
        graph.stirs(graph.stirrer(several(graph, Several::of_ranks, snapshot.key)));
    graph.edges.add(ranks, works);
    graph.edges.add(ranks, host);
  }
  const auto may_ask_it_to_end = [&](ProcessKey key) {
    const Index ender = graph.stirrer(key);
    if (ender == kNoIndex) {
      let_stir(graph, which);
      graph.need[host] = 0;
    } else {
      graph.edges.add(graph.stirs(ender), works);
      graph.edges.add(graph.stirs(ender), host);
    }
  };
  std::ranges::for_each(snapshot.enders, may_ask_it_to_end);
  // Without `strict`, assume that no launcher does: see launchers_may_ask_to_end().
  if (graph.parameters.strict) std::ranges::for_each(snapshot.launchers, may_ask_it_to_end);
  // Without `strict`, assume that threads without a recorded call do not begin to make any.
  if (graph.parameters.strict || !is_driven(snapshot)) graph.edges.add(stirs, host);
}

bool waits_in_a_call(const WaitGraph& graph, Index process) {
  const auto first = graph.threads.begin() + graph.processes[process].first_thread;
  const auto end = graph.threads.begin() + graph.processes[process + 1].first_thread;
  return std::any_of(first, end, [](const auto& thread) { return thread.blocked; });
}

// Ranks, one of whose threads waits in a recorded call.
using RanksInCalls = std::unordered_set<ProcessKey>;

// Whether it is assumed to sleep again when its time comes: in a rank that waits in a call, in a
// launcher, and while it waits for another process (an event loop, a loader's worker).
bool only_naps(const WaitGraph& graph, const record::Sleeper& sleeper,
               const RanksInCalls& in_calls) {
  if (graph.parameters.strict || !sleeper.sleep.by_clock) return false;
  return in_calls.contains(sleeper.process) || !sleeper.of_rank ||
         (!sleeper.sleep.only_by_clock && may_end_by_a_death(sleeper.sleep, sleeper.process));
}

// What a thread of no box does for its process.
void need_sleeper(WaitGraph& graph, const record::Sleeper& sleeper, const RanksInCalls& in_calls) {
  const Index which = graph.stirrer(sleeper.process);
  const NodeId stirs = graph.stirs(which);
  const NodeId works = graph.works(which);
  if (only_naps(graph, sleeper, in_calls)) {
    graph.need[stirs] = 0;
    need_waker(graph, sleeper.sleep, sleeper.process, works, Wakes::who_works);
  } else if (!sleeps(graph, sleeper.sleep) || (sleeper.hears && graph.parameters.strict)) {
    let_stir(graph, which);
  } else if (graph.parameters.strict) {
    need_waker(graph, sleeper.sleep, sleeper.process, works, Wakes::who_stirs);
  } else {
    need_waker(graph, sleeper.sleep, sleeper.process, stirs, Wakes::who_stirs);
    need_waker(graph, sleeper.sleep, sleeper.process, works, Wakes::who_works);
  }
}

// A launcher that has lost a rank may end the others and restart them all.
void need_launcher(WaitGraph& graph, ProcessKey launcher) {
  const Index which = graph.stirrer(who_may_restart(graph, launcher));
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    if (graph.processes[process].gone) continue;
    if (which == kNoIndex) {
      graph.need[graph.host(process)] = 0;
    } else {
      graph.edges.add(graph.stirs(which), graph.host(process));
    }
  }
}

}  // namespace

bool device_may_run_code(const WaitGraph& graph, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const Index first = graph.processes[process].first_thread;
  for (Index thread = 0; thread < snapshot.threads.size(); ++thread) {
    if (snapshot.threads[thread].exists && !graph.threads[first + thread].blocked) return true;
  }
  return std::ranges::any_of(
             snapshot.others,
             [&](const record::Sleeper& sleeper) { return sleeper.process == snapshot.key; }) ||
         std::ranges::any_of(snapshot.operations, [](const record::Operation& operation) {
           return operation.call == record::Call::host_function ||
                  operation.call == record::Call::graph_launch ||
                  operation.graph == record::Graph::calls_host || record::is_mpi(operation.call);
         });
}

bool is_driven(const record::Snapshot& snapshot) {
  return std::any_of(snapshot.threads.begin(), snapshot.threads.end(),
                     [](const record::Thread& thread) { return thread.exists; });
}

void need_stirrers(WaitGraph& graph, Hosts hosts) {
  if (hosts == Hosts::frozen) return;
  RanksInCalls in_calls;
  for (const auto& [key, which] : graph.stirrer_of_key) {
    graph.need[graph.stirs(which)] = 1;
    graph.need[graph.works(which)] = 1;
    graph.edges.add(graph.works(which), graph.stirs(which));
  }
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const ProcessKey key = graph.snapshots[process].key;
    const Index which = graph.stirrer(key);
    if (which != kNoIndex) need_stirrer(graph, process, which);
    if (waits_in_a_call(graph, process)) in_calls.insert(key);
  }
  for (const record::Snapshot& snapshot : graph.snapshots) {
    const bool may_restart = snapshot.launcher != 0 && (graph.parameters.strict ||
                                                        graph.parameters.now_ns - snapshot.gone_ns <
                                                            graph.parameters.restart_ns);
    if (may_restart) need_launcher(graph, snapshot.launcher);
    for (const record::Sleeper& sleeper : snapshot.others) need_sleeper(graph, sleeper, in_calls);
  }
  const auto stirs_too = [&](ProcessKey key, ProcessKey all) {
    const Index which = graph.stirrer(key);
    const Index anybody = graph.stirrer(all);
    if (which != kNoIndex && anybody != kNoIndex && anybody != which) {
      graph.edges.add(graph.stirs(which), graph.stirs(anybody));
      graph.edges.add(graph.works(which), graph.works(anybody));
    }
  };
  for (const auto& [key, which] : graph.stirrer_of_key) {
    stirs_too(key, kAnybodyOfJob);
    if (is_process(key)) stirs_too(key, several(graph, Several::anybody, key));
  }
  if (const Index anybody = graph.stirrer(kAnybodyOfJob); anybody != kNoIndex) {
    for (Index process = 0; process < graph.snapshots.size(); ++process) {
      const bool is_unknown = graph.snapshots[process].key == 0 && !graph.processes[process].gone;
      if (is_unknown) let_stir(graph, anybody);
    }
  }
  for (const record::Snapshot& snapshot : graph.snapshots) {
    if (snapshot.key != 0) {
      stirs_too(snapshot.key, several(graph, Several::of_ranks, snapshot.key));
    }
    for (const record::Sleeper& sleeper : snapshot.others) {
      if (sleeper.process == snapshot.key) continue;
      const Several which = sleeper.of_rank ? Several::of_ranks : Several::launchers;
      stirs_too(sleeper.process, several(graph, which, sleeper.process));
    }
  }
}

}  // namespace gridlock::detect
