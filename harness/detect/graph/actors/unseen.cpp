// What is not seen may have happened.
#include "harness/detect/graph/actors/unseen.h"

#include "harness/detect/graph/meetings/parts.h"

namespace gridlock::detect {

void let_unseen_pass(WaitGraph& graph, Index process) {
  const WaitGraph::Process& from = graph.processes[process];
  const WaitGraph::Process& to = graph.processes[process + 1];
  const record::Snapshot& snapshot = graph.snapshots[process];
  const auto is_unseen = [&](Index stream) {
    const record::Stream& record = snapshot.streams[stream - from.first_stream];
    return record.polled || (snapshot.cuda_unseen && !record.mpi);
  };
  for (Index index = from.first_stream; index < to.first_stream; ++index) {
    if (!is_unseen(index)) continue;
    const WaitGraph::Stream& stream = graph.streams[index];
    for (Index unit = stream.first_unit; unit < stream.first_unit + stream.units; ++unit) {
      graph.need[graph.reach(unit)] = 0;
      graph.need[graph.pass(unit)] = 0;
    }
  }
  for (Index index = from.first_operation; index < to.first_operation; ++index) {
    const WaitGraph::Operation& operation = graph.operations[index];
    if (WaitGraph::is_alone(operation) || !is_unseen(graph.stream_of(operation))) continue;
    let_pass(graph, graph.part_of(operation));
  }
}

}  // namespace gridlock::detect
