// Taken from the ledger if it knows the mismatch, else from the graph.
#include "harness/detect/blame/sides.h"

#include <algorithm>
#include <unordered_map>

#include "harness/detect/calls/rules.h"

namespace gridlock::detect {
namespace {

void add(std::vector<Side>& sides, const Shape& shape, Index process) {
  for (Side& side : sides) {
    if (difference(side.shape, shape) == Difference::none) {
      side.processes.push_back(process);
      return;
    }
  }
  sides.push_back({.shape = shape, .processes = {process}});
}

const Disagreement* known_mismatch(const WaitGraph& graph, const Point& point,
                                   const Ledger* ledger) {
  if (ledger == nullptr) return nullptr;
  const std::uint64_t id = graph.communicators[point.communicator].id;
  if (point.kind != Point::Kind::message) return ledger->mismatch(id, graph.number_of(point.at));
  const WaitGraph::Message& message = graph.messages[point.at];
  const std::int32_t own = graph.rank_of(message.entry);
  return ledger->mismatch(id, message.number, message.sends ? own : message.peer,
                          message.sends ? message.peer : own);
}

}  // namespace

std::vector<Side> sides_at(const WaitGraph& graph, const Point& point, const Ledger* ledger) {
  std::vector<Side> sides;
  const bool at_slot = point.at_slot() && point.kind != Point::Kind::connect;
  if (!at_slot && point.kind != Point::Kind::message) return sides;
  if (const Disagreement* known = known_mismatch(graph, point, ledger)) {
    std::unordered_map<int, Index> process_of;
    for (Index process = 0; process < graph.snapshots.size(); ++process) {
      process_of[graph.snapshots[process].rank] = process;
    }
    for (const Disagreement::Side& side : known->sides) {
      for (const int rank : side.ranks) add(sides, side.shape, process_of[rank]);
    }
  } else if (point.kind == Point::Kind::message) {
    const WaitGraph::Message& message = graph.messages[point.at];
    for (const Index index : {point.at, message.awaits}) {
      if (index == kNoIndex) continue;
      const WaitGraph::Message& one = graph.messages[index];
      Shape shape{.call = record::Call::send, .bytes = one.bytes};
      add(sides, shape, graph.entries[one.entry].process);
    }
  } else {
    for (const WaitGraph::SlotCall& call : graph.calls_at(point.at)) {
      const WaitGraph::Operation& operation = graph.operations[call.operation];
      add(sides, shape_of(graph.source(operation)), graph.entries[operation.entry].process);
    }
  }
  for (Side& side : sides) std::sort(side.processes.begin(), side.processes.end());
  // Equal sides are sorted by rank, so that the result does not depend on which rank was looked at
  // first.
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    if (a.processes.size() != b.processes.size()) return a.processes.size() > b.processes.size();
    return a.processes.front() < b.processes.front();
  });
  return sides;
}

}  // namespace gridlock::detect
