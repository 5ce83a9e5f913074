// Slots that a member has not called form a chain: a member that has not called slot s has not
// called s + 1 either.
#include "harness/detect/graph/meetings/slots.h"

#include <algorithm>

#include "harness/detect/calls/rules.h"
#include "harness/detect/graph/meetings/misfits.h"

namespace gridlock::detect {

using record::Call;

namespace {

// Between the calls of one slot and those of the next. If their distance were a power of two, as
// numbers of ranks are, they would all compete for the same few lines of cache.
constexpr Index kGap = 11;

// Adds mismatches that the ledger found at slots some of whose calls are no longer in flight.
void note_mismatches(WaitGraph& graph, const Ledger& ledger,
                     const std::unordered_map<std::uint64_t, Index>& communicator_of_id) {
  for (const Disagreement& found : ledger.mismatches()) {
    const auto at = communicator_of_id.find(found.communicator_id);
    if (found.from >= 0 || at == communicator_of_id.end()) continue;
    const WaitGraph::Communicator& communicator = graph.communicators[at->second];
    if (found.slot < communicator.base || found.slot - communicator.base >= communicator.slots) {
      continue;
    }
    WaitGraph::Slot& slot =
        graph.slots[communicator.first_slot + static_cast<Index>(found.slot - communicator.base)];
    slot.difference = std::max(slot.difference, found.difference);
  }
}

// Attaches each member to the first slot in flight that it has not called.
void need_members(WaitGraph& graph) {
  for (WaitGraph::Entry& entry : graph.entries) {
    const WaitGraph::Communicator& communicator = graph.communicators[entry.communicator];
    const WaitGraph::Process& process = graph.processes[entry.process];
    const std::uint64_t next = std::max(entry.next_slot, communicator.base);
    if (!process.trusted || communicator.doubtful || next >= communicator.base + communicator.slots)
      continue;
    entry.attached = communicator.first_slot + static_cast<Index>(next - communicator.base);
    for (const NodeId node : {graph.called(entry.attached), graph.coming(entry.attached)}) {
      ++graph.need[node];
      if (entry.left || process.gone) graph.never(node);
    }
  }
}

// Operations on a doubtful communicator may end at any time.
void let_doubtful_go(WaitGraph& graph) {
  bool any = false;
  for (const WaitGraph::Entry& entry : graph.entries) {
    WaitGraph::Communicator& communicator = graph.communicators[entry.communicator];
    const Index index = static_cast<Index>(&entry - graph.entries.data());
    const record::Communicator& record = graph.record_of(index);
    const bool made =
        record.state != record::CommunicatorState::initialising && !record.init_has_failed();
    communicator.doubtful =
        communicator.doubtful || (communicator.duplicate && made) || record.is_counted_otherwise();
    any = any || communicator.doubtful;
  }
  if (!any) return;
  for (WaitGraph::Entry& entry : graph.entries) {
    entry.aborted = entry.aborted || graph.communicators[entry.communicator].doubtful;
  }
  for (WaitGraph::Operation& operation : graph.operations) {
    if (operation.entry != kNoIndex && graph.entries[operation.entry].aborted) {
      operation.wants = MustArrive::nobody;
    }
  }
}

void need_root(WaitGraph& graph, Index slot) {
  const std::int32_t rank = graph.slots[slot].shape.root;
  if (rank < 0) return graph.never(graph.root(slot));
  const Index root = graph.entry_of(graph.slots[slot].communicator, rank);
  if (root == kNoIndex) return;
  if (operation_at(graph, slot, root) != kNoIndex) {
    ++graph.need[graph.root(slot)];
  } else if (graph.entries[root].attached <= slot) {  // kNoIndex is above every slot
    graph.edge(graph.future(root), graph.root(slot));
  }
}

}  // namespace

void add_members(WaitGraph& graph) {
  Index first = 0;
  for (WaitGraph::Communicator& communicator : graph.communicators) {
    communicator.first_member = first;
    first += communicator.size;
  }
  graph.members.assign(first, kNoIndex);
  for (Index entry = 0; entry < graph.entries.size(); ++entry) {
    WaitGraph::Communicator& communicator = graph.communicators[graph.entries[entry].communicator];
    const std::int32_t rank = graph.rank_of(entry);
    if (rank < 0 || static_cast<Index>(rank) >= communicator.size) continue;
    Index& member = graph.members[communicator.first_member + static_cast<Index>(rank)];
    if (member != kNoIndex) {
      communicator.duplicate = true;
    } else {
      ++communicator.present;
      member = entry;
    }
  }
  let_doubtful_go(graph);
}

void add_slots(WaitGraph& graph, std::span<const SlotWindow> windows) {
  Index first_call = 0;
  for (Index index = 0; index < graph.communicators.size(); ++index) {
    const std::span<const SlotWindow::Calls> calls_at = windows[index].calls();
    WaitGraph::Communicator& communicator = graph.communicators[index];
    communicator.first_slot = static_cast<Index>(graph.slots.size());
    communicator.base = calls_at.empty() ? 0 : windows[index].base();
    communicator.slots = static_cast<Index>(calls_at.size());
    for (const SlotWindow::Calls& calls : calls_at) {
      graph.slots.push_back({.communicator = index,
                             .first_call = first_call,
                             .shape = calls.shape,
                             .difference = calls.difference});
      if (calls.count > 0) first_call += calls.count + kGap;
    }
    graph.slots.push_back({.communicator = index});  // a stop
  }
  graph.slot_calls.resize(first_call);
}

void need_collectives(WaitGraph& graph, Hosts hosts) {
  graph.lone_slot.assign(graph.units, kNoIndex);
  for (Index index = 0; index < graph.operations.size(); ++index) {
    const WaitGraph::Operation& operation = graph.operations[index];
    Index& lone = graph.lone_slot[operation.unit];
    const bool is_lone = WaitGraph::is_alone(operation) && operation.next == kNoIndex &&
                         graph.first_operation[operation.unit] == index;
    if (!is_lone) lone = WaitGraph::kSeveral;
    if (const Index slot = graph.slot_of(operation); slot != kNoIndex) {
      if (is_lone) lone = graph.slots[slot].shape.root < 0 ? slot : WaitGraph::kSeveral;
      const NodeId complete = graph.complete(operation);
      if (operation.wants != MustArrive::nobody) ++graph.need[complete];
      WaitGraph::Slot& of = graph.slots[slot];
      graph.slot_calls[of.first_call + of.calls++] = {
          .operation = index, .completes = complete, .wants = operation.wants};
    }
    // The record does not see into these. In a job that stands still, they count as stuck.
    const bool opaque =
        operation.call == Call::host_function || operation.call == Call::graph_launch;
    if (opaque && hosts == Hosts::frozen) graph.never(graph.pass(operation.unit));
  }
}

void need_slots(WaitGraph& graph, const Ledger* ledger,
                const std::unordered_map<std::uint64_t, Index>& communicator_of_id) {
  if (ledger != nullptr) note_mismatches(graph, *ledger, communicator_of_id);
  need_members(graph);
  for (Index slot = 0; slot < graph.slots.size(); ++slot) {
    const WaitGraph::Communicator& communicator =
        graph.communicators[graph.slots[slot].communicator];
    if (slot == communicator.first_slot + communicator.slots) {  // the stop
      for (const NodeId node :
           {graph.called(slot), graph.coming(slot), graph.arrived(slot), graph.root(slot)}) {
        graph.never(node);
      }
      continue;
    }
    const Index chain = slot > communicator.first_slot ? 1 : 0;
    graph.need[graph.called(slot)] += chain;
    graph.need[graph.coming(slot)] += chain;
    graph.need[graph.arrived(slot)] += graph.slots[slot].calls + 1;
    if (graph.slots[slot].difference == Difference::fatal) {
      need_misfits(graph, ledger, slot);
    } else {
      need_root(graph, slot);
    }
  }
}

Index operation_at(const WaitGraph& graph, Index slot, Index entry) {
  for (const WaitGraph::SlotCall& call : graph.calls_at(slot)) {
    if (graph.operations[call.operation].entry == entry) return call.operation;
  }
  return kNoIndex;
}

}  // namespace gridlock::detect
