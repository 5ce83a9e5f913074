// A member that needs only the root compares with the root.
#include "harness/detect/graph/meetings/misfits.h"

#include <algorithm>

#include "harness/detect/calls/rules.h"
#include "harness/detect/graph/meetings/slots.h"

namespace gridlock::detect {
namespace {

// Whether a member's past call fitted `shape`, as far as is known.
bool fits_past(const WaitGraph& graph, const Ledger* ledger, Index slot, Index entry,
               const Shape& shape) {
  if (ledger == nullptr) return true;
  const Disagreement* known = ledger->mismatch(
      graph.communicators[graph.slots[slot].communicator].id, graph.number_of(slot));
  if (known == nullptr) return true;
  const int rank = graph.snapshots[graph.entries[entry].process].rank;
  return std::none_of(known->sides.begin(), known->sides.end(), [&](const auto& side) {
    return difference(side.shape, shape) == Difference::fatal &&
           std::binary_search(side.ranks.begin(), side.ranks.end(), rank);
  });
}

}  // namespace

void need_misfits(WaitGraph& graph, const Ledger* ledger, Index slot) {
  graph.never(graph.arrived(slot));
  graph.never(graph.root(slot));
  Index known_root = kNoIndex;  // the last root that was looked up, and its operation
  Index known = kNoIndex;
  for (const WaitGraph::SlotCall& call : graph.calls_at(slot)) {
    const WaitGraph::Operation& operation = graph.operations[call.operation];
    if (operation.wants != MustArrive::root) continue;
    const record::Operation& record = graph.source(operation);
    const Index root = graph.entry_of(graph.slots[slot].communicator, record.peer);
    const NodeId complete = graph.complete(operation);
    if (root == kNoIndex) {
      --graph.need[complete];
      continue;
    }
    if (root != known_root) known = operation_at(graph, slot, root);
    known_root = root;
    const Index other = known;
    if (other != kNoIndex) {
      const Shape shape = shape_of(graph.source(graph.operations[other]));
      if (difference(shape, shape_of(record)) == Difference::fatal) continue;
      graph.edges.add(graph.come(graph.operations[other]), complete);
    } else if (graph.entries[root].attached <= slot) {
      graph.edges.add(graph.future(root), complete);
    } else if (fits_past(graph, ledger, slot, root, shape_of(record))) {
      --graph.need[complete];
    }
  }
}

}  // namespace gridlock::detect
