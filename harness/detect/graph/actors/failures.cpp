// What NCCL's kernels wait for shows; other kernels only show by what stands behind them.
#include "harness/detect/graph/actors/failures.h"

#include "harness/detect/graph/actors/sleepers.h"
#include "harness/detect/graph/actors/threads.h"
#include "harness/detect/graph/units.h"

namespace gridlock::detect {
namespace {

// Whether an error of a device may let a thread of the process go on: one waits for a device,
// perhaps by an event for another one, or for a callback that is told of the error.
bool may_be_told(const WaitGraph& graph, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const Index first = graph.processes[process].first_thread;
  for (Index index = 0; index < snapshot.threads.size(); ++index) {
    const bool is_blocked = graph.threads[first + index].blocked;
    if (is_blocked && waits_for_device(snapshot.threads[index])) return true;
  }
  return device_may_run_code(graph, process);
}

// Calls `visit` with a node for each stream of such a process that has something in flight: once
// the node happens, other work may run there.
template <class Visit>
void for_each_chance(const WaitGraph& graph, Index process, Visit visit) {
  if (!may_be_told(graph, process)) return;
  const WaitGraph::Process& of = graph.processes[process];
  for (Index index = of.first_stream; index < graph.processes[process + 1].first_stream; ++index) {
    const WaitGraph::Stream& stream = graph.streams[index];
    if (stream.units == 0 || stream.mpi) continue;
    visit(may_be_behind_work(graph, index) ? graph.reach(stream.first_unit)
                                           : graph.pass(stream.first_unit));
  }
}

}  // namespace

void let_kernels_fail(WaitGraph& graph, Index process) {
  if (!graph.parameters.strict || graph.hosts == Hosts::frozen) return;
  for_each_chance(graph, process,
                  [&](NodeId chance) { graph.edges.add(chance, graph.host(process)); });
}

bool kernels_may_fail(const WaitGraph& graph, Index process) {
  bool may_fail = false;
  for_each_chance(graph, process, [&](NodeId chance) { may_fail |= graph.can(chance); });
  return may_fail;
}

}  // namespace gridlock::detect
