// An OR wait: a process needs one of its threads and ignores the rest.
#include "harness/detect/graph/actors/hosts.h"

#include "harness/detect/graph/actors/sleepers.h"
#include "harness/detect/graph/units.h"

namespace gridlock::detect {

namespace {

// Host functions may not call CUDA, but they may call MPI. A graph may call them before its
// communications, or beside them.
void let_host_functions_call(WaitGraph& graph, Index process) {
  if (graph.snapshots[process].mpi.empty()) return;
  const NodeId host = graph.host(process);
  for (Index index = graph.processes[process].first_operation;
       index < graph.processes[process + 1].first_operation; ++index) {
    const WaitGraph::Operation& operation = graph.operations[index];
    if (operation.call == record::Call::host_function ||
        operation.call == record::Call::graph_launch) {
      graph.edges.add(graph.pass(operation.unit), host);
    } else if (graph.source(operation).graph == record::Graph::calls_host) {
      graph.edges.add(graph.reach(operation.unit), host);
    }
  }
}

}  // namespace

void need_hosts(WaitGraph& graph, Hosts hosts) {
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    const NodeId host = graph.host(process);
    if (graph.processes[process].gone) {
      graph.never(host);
    } else if (graph.processes[process].trusted) {
      // If the kernel was asked about its threads, they decide: see need_stirrers().
      const bool strictly = graph.parameters.strict && snapshot.other_threads > 0;
      const bool awake = snapshot.key == 0 && (strictly || !is_driven(snapshot));
      graph.need[host] = awake && hosts == Hosts::may_act ? 0 : 1;
      if (hosts == Hosts::may_act) let_host_functions_call(graph, process);
    }
  }
  for (Index entry = 0; entry < graph.entries.size(); ++entry) {
    ++graph.need[graph.future(entry)];
    if (graph.entries[entry].left) graph.never(graph.future(entry));
  }
  ++graph.need[graph.any_host()];
  for (Index which = 0; which < graph.alternatives; ++which) ++graph.need[graph.any(which)];
}

}  // namespace gridlock::detect
