// What NCCL's kernels wait for shows; other kernels only show by what stands behind them.
#include "harness/detect/graph/actors/failures.h"

#include <algorithm>

#include "harness/detect/graph/actors/threads.h"
#include "harness/detect/graph/units.h"

namespace gridlock::detect {
namespace {

// Calls `visit` with a node for each stream of such a device that has something in flight: once the
// node happens, other work may run there.
template <class Visit>
void for_each_chance(const WaitGraph& graph, Index process, Visit visit) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const WaitGraph::Process& of = graph.processes[process];
  const auto is_awaited = [&](std::uint32_t device) {
    for (Index index = 0; index < snapshot.threads.size(); ++index) {
      const record::Thread& thread = snapshot.threads[index];
      const bool waits = graph.threads[of.first_thread + index].blocked && waits_for_device(thread);
      if (waits && thread.device == device) return true;
    }
    return false;
  };
  for (Index index = 0; index < snapshot.streams.size(); ++index) {
    const WaitGraph::Stream& stream = graph.streams[of.first_stream + index];
    const record::Stream& record = snapshot.streams[index];
    if (stream.units == 0 || record.mpi || !is_awaited(record.device)) continue;
    visit(shows_unrecorded_work(graph, of.first_stream + index) ? graph.reach(stream.first_unit)
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
