// One of many, all of it: a node needs one of what can wake it and ignores the rest.
#include "harness/detect/graph/sleepers.h"

#include <algorithm>

namespace gridlock::detect {

using record::ProcessKey;
using record::Signals;

namespace {

ProcessKey anybody_at(ProcessKey key) {
  return record::process_key(static_cast<std::int32_t>(record::host_of(key)), -1);
}

void need_stirrer(WaitGraph& graph, Index process, NodeId stirs) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const WaitGraph::Process& of = graph.processes[process];
  const NodeId host = graph.host(process);
  if (of.gone) return graph.never(stirs);
  const bool shows_threads =
      is_driven(snapshot) ||
      std::any_of(snapshot.others.begin(), snapshot.others.end(),
                  [&](const record::Sleeper& sleeper) { return sleeper.process == snapshot.key; });
  if (!of.trusted || snapshot.cuda_unseen || !shows_threads) graph.need[stirs] = 0;
  for (Index thread = of.first_thread; thread < graph.processes[process + 1].first_thread;
       ++thread) {
    graph.edges.add(graph.thread(thread), stirs);
  }
  // What the device does next may end a wait inside a call of CUDA that is not recorded, and a
  // function of the program's may run on it. Nothing comes before the first unit of a stream.
  for (Index stream = of.first_stream; stream < graph.processes[process + 1].first_stream;
       ++stream) {
    if (graph.streams[stream].units > 0) {
      graph.edges.add(graph.pass(graph.streams[stream].first_unit), stirs);
    }
  }
  // Whatever its threads wait for, a signal's handler runs.
  if (snapshot.signals == Signals::timed) {
    graph.need[stirs] = 0;
    graph.need[host] = 0;
  } else if (snapshot.signals == Signals::sent) {
    const NodeId anybody = graph.stirs(graph.stirrer(anybody_at(snapshot.key)));
    // Without `strict` it is assumed that nobody outside the job does.
    if (graph.parameters.strict) graph.need[stirs] = graph.need[host] = 0;
    graph.edges.add(anybody, stirs);
    graph.edges.add(anybody, host);
  }
  // Threads that made no recorded call so far: without `strict` it is assumed that they do not
  // begin.
  if (graph.parameters.strict || !is_driven(snapshot)) graph.edges.add(stirs, host);
}

// A launcher that one of its ranks is gone from may end the others and start all of them anew.
void need_launcher(WaitGraph& graph, ProcessKey launcher) {
  const Index which = graph.stirrer(launcher);
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

bool is_driven(const record::Snapshot& snapshot) {
  return std::any_of(snapshot.threads.begin(), snapshot.threads.end(),
                     [](const record::Thread& thread) { return thread.exists; });
}

void find_stirrers(WaitGraph& graph, Hosts hosts) {
  graph.stirrer_of_key.clear();
  if (hosts == Hosts::frozen) return;
  const auto enter = [&](ProcessKey key) {
    graph.stirrer_of_key.try_emplace(key, static_cast<Index>(graph.stirrer_of_key.size()));
  };
  for (const record::Snapshot& snapshot : graph.snapshots) {
    if (snapshot.key != 0) enter(snapshot.key);
    for (const record::Sleeper& sleeper : snapshot.others) enter(sleeper.process);
    // All processes of a host together: any of them can send a signal.
    if (snapshot.signals == Signals::sent) enter(anybody_at(snapshot.key));
  }
}

void need_one_of(WaitGraph& graph, const std::vector<ProcessKey>& wakers, NodeId node) {
  for (const ProcessKey key : wakers) {
    const Index waker = graph.stirrer(key);
    if (waker == kNoIndex) {
      graph.need[node] = 0;
    } else if (graph.stirs(waker) != node) {
      graph.edges.add(graph.stirs(waker), node);
    }
  }
}

void need_stirrers(WaitGraph& graph, Hosts hosts) {
  if (hosts == Hosts::frozen) return;
  for (const auto& [key, which] : graph.stirrer_of_key) graph.need[graph.stirs(which)] = 1;
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const Index which = graph.stirrer(graph.snapshots[process].key);
    if (which != kNoIndex) need_stirrer(graph, process, graph.stirs(which));
  }
  for (const record::Snapshot& snapshot : graph.snapshots) {
    const bool may_restart = snapshot.launcher != 0 && (graph.parameters.strict ||
                                                        graph.parameters.now_ns - snapshot.gone_ns <
                                                            graph.parameters.restart_ns);
    if (may_restart) need_launcher(graph, snapshot.launcher);
    for (const record::Sleeper& sleeper : snapshot.others) {
      const NodeId node = graph.stirs(graph.stirrer(sleeper.process));
      if (sleeps(graph, sleeper.sleep)) {
        need_one_of(graph, sleeper.sleep.wakers, node);
      } else {
        graph.need[node] = 0;
      }
    }
  }
  for (const auto& [key, which] : graph.stirrer_of_key) {
    const Index anybody = graph.stirrer(anybody_at(key));
    if (anybody != kNoIndex && anybody != which) {
      graph.edges.add(graph.stirs(which), graph.stirs(anybody));
    }
  }
}

}  // namespace gridlock::detect
