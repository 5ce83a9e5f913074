// What is not seen may have happened.
#include "harness/detect/graph/actors/unseen.h"

#include <limits>

#include "harness/detect/graph/meetings/parts.h"

namespace gridlock::detect {

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
  for (Index index = from.first_stream; index < to.first_stream; ++index) {
    const WaitGraph::Stream& stream = graph.streams[index];
    for (Index at = 0; at < stream.units && stream.completed + at < unseen_up_to(index); ++at) {
      graph.need[graph.reach(stream.first_unit + at)] = 0;
      graph.need[graph.pass(stream.first_unit + at)] = 0;
    }
  }
  for (Index index = from.first_operation; index < to.first_operation; ++index) {
    const WaitGraph::Operation& operation = graph.operations[index];
    if (WaitGraph::is_alone(operation)) continue;
    if (graph.source(operation).position > unseen_up_to(graph.stream_of(operation))) continue;
    let_pass(graph, graph.part_of(operation));
  }
}

}  // namespace gridlock::detect
