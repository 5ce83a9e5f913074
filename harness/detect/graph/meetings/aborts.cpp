// One more node for each slot and message: it needs any one of those who may abort.
#include "harness/detect/graph/meetings/aborts.h"

#include <algorithm>

namespace gridlock::detect {
namespace {

// Our own NCCL's abort lets nobody go.
bool is_real(const WaitGraph& graph, Index entry) {
  return !graph.snapshots[graph.entries[entry].process].own_nccl();
}

void free_slot(WaitGraph& graph, Index slot, NodeId freed) {
  for (const WaitGraph::SlotCall& call : graph.calls_at(slot)) {
    const Index entry = graph.operations[call.operation].entry;
    if (!is_real(graph, entry)) continue;
    const Index process = graph.entries[entry].process;
    if (!graph.processes[process].gone) graph.edges.add(graph.host(process), freed);
    if (call.wants != MustArrive::nobody) graph.edges.add(freed, call.completes);
  }
}

void free_message(WaitGraph& graph, const WaitGraph::Message& message, NodeId freed) {
  if (message.operation == kNoIndex || message.awaits == kNoIndex) return;
  const Index other = graph.messages[message.awaits].entry;
  const Index process = graph.entries[other].process;
  if (!is_real(graph, other) || graph.processes[process].gone) return;
  graph.edges.add(graph.host(process), freed);
  graph.edges.add(freed, graph.complete(graph.operations[message.operation]));
}

// What a member had in flight when it aborted is not recorded: anything that it had called.
void free_by_the_aborted(WaitGraph& graph, Index entry, Index first) {
  const WaitGraph::Entry& member = graph.entries[entry];
  const WaitGraph::Communicator& communicator = graph.communicators[member.communicator];
  const std::uint64_t end = std::min(member.next_slot, communicator.base + communicator.slots);
  for (std::uint64_t number = communicator.base; number < end; ++number) {
    const Index slot = communicator.first_slot + static_cast<Index>(number - communicator.base);
    graph.need[graph.any(first + slot)] = 0;
  }
}

}  // namespace

Index add_aborts(WaitGraph& graph) {
  const bool any = std::any_of(graph.snapshots.begin(), graph.snapshots.end(),
                               [](const auto& snapshot) { return !snapshot.own_nccl(); });
  if (!any) return kNoIndex;
  const Index first = graph.alternatives;
  graph.alternatives += static_cast<Index>(graph.slots.size() + graph.messages.size());
  return first;
}

void let_aborts_free(WaitGraph& graph, Index first) {
  if (first == kNoIndex || graph.hosts == Hosts::frozen) return;
  const auto slots = static_cast<Index>(graph.slots.size());
  for (Index slot = 0; slot + 1 < slots; ++slot) free_slot(graph, slot, graph.any(first + slot));
  for (Index message = 0; message < graph.messages.size(); ++message) {
    if (graph.record_of(graph.messages[message].entry).mpi) continue;
    free_message(graph, graph.messages[message], graph.any(first + slots + message));
  }
  for (Index entry = 0; entry < graph.entries.size(); ++entry) {
    if (graph.entries[entry].aborted && is_real(graph, entry)) {
      free_by_the_aborted(graph, entry, first);
    }
  }
}

}  // namespace gridlock::detect
