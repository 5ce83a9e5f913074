// What is not seen may have happened.
#include "harness/detect/graph/actors/unseen.h"

#include <algorithm>
#include <limits>

#include "harness/detect/graph/meetings/parts.h"

namespace gridlock::detect {
namespace {

// Whatever nobody saw, a collective is past only if all members have called it. Without CUDA's
// calls, it may have gone into a graph instead.
void let_unit_pass(WaitGraph& graph, Index unit, bool cuda_unseen) {
  graph.need[graph.reach(unit)] = 0;
  graph.need[graph.pass(unit)] = 0;
  const Index slot = graph.lone_slot[unit];
  const bool has_slot = slot != kNoIndex && slot != WaitGraph::kSeveral;
  if (!has_slot || cuda_unseen) return;
  const WaitGraph::Operation& operation = graph.operations[graph.first_operation[unit]];
  if (operation.wants != MustArrive::everyone) return;
  graph.need[graph.pass(unit)] = 1;  // for being reached
  graph.edge(graph.called(slot), graph.pass(unit));
}

}  // namespace

void let_unseen_pass(WaitGraph& graph, Index process) {
  const WaitGraph::Process& from = graph.processes[process];
  const WaitGraph::Process& to = graph.processes[process + 1];
  const record::Snapshot& snapshot = graph.snapshots[process];
  // Nobody saw the ends up to `missed`. What a polled stream shows of later ones may be old.
  const auto unseen_up_to = [&](Index stream) {
    const record::Stream& record = snapshot.streams[stream - from.first_stream];
    const bool is_all = record.polled || (snapshot.cuda_unseen && !record.mpi);
    return is_all ? std::numeric_limits<std::uint64_t>::max() : record.missed;
  };
  const auto is_seen = [&](Index operation) {
    const WaitGraph::Operation& of = graph.operations[operation];
    return graph.source(of).position > unseen_up_to(graph.stream_of(of));
  };
  // A group ends on all its streams at once: one that shows its work in flight speaks for all.
  const auto is_shown = [&](const WaitGraph::Operation& operation) {
    return !WaitGraph::is_alone(operation) &&
           std::ranges::any_of(graph.parts[graph.part_of(operation)].operations, is_seen);
  };
  const auto is_unit_shown = [&](Index unit) {
    Index at = graph.first_operation[unit];
    if (at == kNoIndex) return false;
    for (; at != kNoIndex; at = graph.operations[at].next) {
      if (!is_shown(graph.operations[at])) return false;
    }
    return true;
  };
  for (Index index = from.first_stream; index < to.first_stream; ++index) {
    const WaitGraph::Stream& stream = graph.streams[index];
    for (Index at = 0; at < stream.units && stream.completed + at < unseen_up_to(index); ++at) {
      const Index unit = stream.first_unit + at;
      if (!is_unit_shown(unit)) let_unit_pass(graph, unit, snapshot.cuda_unseen);
    }
  }
  for (Index index = from.first_operation; index < to.first_operation; ++index) {
    const WaitGraph::Operation& operation = graph.operations[index];
    if (WaitGraph::is_alone(operation) || is_shown(operation)) continue;
    let_pass(graph, graph.part_of(operation));
  }
}

}  // namespace gridlock::detect
