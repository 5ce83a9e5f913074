// An OR wait: a process needs one of its threads and ignores the rest.
#include "harness/detect/graph/actors/hosts.h"

#include "harness/detect/graph/actors/sleepers.h"

namespace gridlock::detect {

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
