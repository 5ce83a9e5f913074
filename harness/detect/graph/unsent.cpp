// Only slots at which some rank still waits are in the graph.
#include "harness/detect/graph/unsent.h"

#include "harness/detect/graph/meetings/slots.h"

namespace gridlock::detect {

bool may_be_unsent(const WaitGraph& graph, Index entry, Index slot) {
  const WaitGraph::Entry& of = graph.entries[entry];
  const bool ended_open = graph.processes[of.process].gone && !of.left && !of.aborted &&
                          !graph.snapshots[of.process].own_nccl();
  // kNoIndex, for a member that has called at all slots, is above every slot.
  return ended_open && of.attached > slot && operation_at(graph, slot, entry) == kNoIndex;
}

void lose_unsent(WaitGraph& graph) {
  for (const WaitGraph::Communicator& communicator : graph.communicators) {
    for (Index member = 0; member < communicator.size; ++member) {
      const Index entry = graph.members[communicator.first_member + member];
      if (entry == kNoIndex) continue;
      for (Index at = 0; at < communicator.slots; ++at) {
        const Index slot = communicator.first_slot + at;
        if (!may_be_unsent(graph, entry, slot)) continue;
        graph.never(graph.arrived(slot));
        if (graph.slots[slot].shape.root == graph.rank_of(entry)) graph.never(graph.root(slot));
      }
    }
  }
}

void lose_all(WaitGraph& graph) {
  for (const WaitGraph::Communicator& communicator : graph.communicators) {
    for (Index at = 0; at < communicator.slots; ++at) {
      graph.never(graph.arrived(communicator.first_slot + at));
      graph.never(graph.root(communicator.first_slot + at));
    }
  }
}

}  // namespace gridlock::detect
