// What units, operations, slots and hosts need.
#include <algorithm>

#include "harness/detect/graph/builder.h"

namespace gridlock::detect {

using record::Call;

void GraphBuilder::need_units() {
  for (Index index = 0; index < g_.streams.size(); ++index) {
    const WaitGraph::Stream& stream = g_.streams[index];
    const WaitGraph::Process& process = g_.processes[stream.process];
    const record::Stream& record =
        g_.snapshots[stream.process].streams[index - process.first_stream];
    for (Index at = 0; at < stream.units; ++at) {
      const Index unit = stream.first_unit + at;
      const bool started = record.started > stream.completed + at;
      g_.need[g_.pass(unit)] = 1;
      // Not started and first: the stream is at work that ends. What was under way in a process
      // that is gone went with it.
      g_.need[g_.reach(unit)] = started || at == 0 ? 0 : 1;
      if (process.gone) never(g_.reach(unit));
    }
    never(g_.reach(stream.first_unit + stream.units));
    never(g_.pass(stream.first_unit + stream.units));
  }
}

// Nobody has looked at the polled streams of the process for too long, or what it does with any of
// its streams is not seen: all that they show in flight may be past. After all other needs, so that
// it stands.
void GraphBuilder::let_unseen_pass(Index process) {
  const WaitGraph::Process& from = g_.processes[process];
  const WaitGraph::Process& to = g_.processes[process + 1];
  const record::Snapshot& snapshot = g_.snapshots[process];
  const auto is_unseen = [&](Index stream) {
    const record::Stream& record = snapshot.streams[stream - from.first_stream];
    return record.polled || (snapshot.cuda_unseen && !record.mpi);
  };
  for (Index index = from.first_stream; index < to.first_stream; ++index) {
    if (!is_unseen(index)) continue;
    const WaitGraph::Stream& stream = g_.streams[index];
    for (Index unit = stream.first_unit; unit < stream.first_unit + stream.units; ++unit) {
      g_.need[g_.reach(unit)] = 0;
      g_.need[g_.pass(unit)] = 0;
    }
  }
  for (Index index = from.first_operation; index < to.first_operation; ++index) {
    const WaitGraph::Operation& operation = g_.operations[index];
    if (WaitGraph::is_alone(operation) || !is_unseen(g_.stream_of(operation))) continue;
    let_pass(g_.part_of(operation));
  }
}

// What operations need of their slots, and the slots' lists of them.
void GraphBuilder::need_operations() {
  g_.lone_slot.assign(g_.units, kNoIndex);
  for (Index index = 0; index < g_.operations.size(); ++index) {
    const WaitGraph::Operation& operation = g_.operations[index];
    Index& lone = g_.lone_slot[operation.unit];
    const bool is_lone = WaitGraph::is_alone(operation) && operation.next == kNoIndex &&
                         g_.first_operation[operation.unit] == index;
    if (!is_lone) lone = WaitGraph::kSeveral;
    if (const Index slot = g_.slot_of(operation); slot != kNoIndex) {
      if (is_lone) lone = g_.slots[slot].shape.root < 0 ? slot : WaitGraph::kSeveral;
      const NodeId complete = g_.complete(operation);
      if (operation.wants != MustArrive::nobody) ++g_.need[complete];
      const Index at = slot_end_[slot]++;
      g_.slot_operations[at] = index;
      g_.slot_completions[at] = {.node = complete, .wants = operation.wants};
    }
    // The record does not see into these. In a job that does not move it is they that stand still.
    const bool opaque =
        operation.call == Call::host_function || operation.call == Call::graph_launch;
    if (opaque && hosts_ == Hosts::frozen) never(g_.pass(operation.unit));
  }
}

void GraphBuilder::need_slots() {
  if (ledger_ != nullptr) {
    for (const Disagreement& found : ledger_->mismatches()) {
      const auto at = communicator_of_id_.find(found.communicator_id);
      if (found.from >= 0 || at == communicator_of_id_.end()) continue;
      const WaitGraph::Communicator& communicator = g_.communicators[at->second];
      if (found.slot < communicator.base || found.slot - communicator.base >= communicator.slots) {
        continue;
      }
      WaitGraph::Slot& slot =
          g_.slots[communicator.first_slot + static_cast<Index>(found.slot - communicator.base)];
      slot.difference = std::max(slot.difference, found.difference);
    }
  }
  // Members that have not called all slots in flight yet.
  for (WaitGraph::Entry& entry : g_.entries) {
    const WaitGraph::Communicator& communicator = g_.communicators[entry.communicator];
    const WaitGraph::Process& process = g_.processes[entry.process];
    const std::uint64_t next = std::max(entry.next_slot, communicator.base);
    if (!process.trusted || next >= communicator.base + communicator.slots) continue;
    entry.attached = communicator.first_slot + static_cast<Index>(next - communicator.base);
    for (const NodeId node : {g_.called(entry.attached), g_.coming(entry.attached)}) {
      ++g_.need[node];
      if (entry.left || process.gone) never(node);
    }
  }
  for (Index slot = 0; slot < g_.slots.size(); ++slot) {
    const WaitGraph::Communicator* communicator =
        slot + 1 < g_.slots.size() ? &g_.communicators[g_.slots[slot].communicator] : nullptr;
    if (communicator == nullptr || slot == communicator->first_slot + communicator->slots) {
      for (const NodeId node :
           {g_.called(slot), g_.coming(slot), g_.arrived(slot), g_.root(slot)}) {
        never(node);
      }
      continue;
    }
    const Index chain = slot > communicator->first_slot ? 1 : 0;
    g_.need[g_.called(slot)] += chain;
    g_.need[g_.coming(slot)] += chain;
    const Index begin = g_.slots[slot].first_operation;
    const Index end = g_.slots[slot + 1].first_operation;
    g_.need[g_.arrived(slot)] += end - begin + 1;
    if (g_.slots[slot].difference == Difference::fatal) {
      need_misfits(slot);
    } else {
      need_root(slot);
    }
  }
}

void GraphBuilder::need_root(Index slot) {
  const std::int32_t rank = g_.slots[slot].shape.root;
  if (rank < 0) return never(g_.root(slot));
  const Index root = g_.entry_of(g_.slots[slot].communicator, rank);
  if (root == kNoIndex) return;
  if (operation_at(slot, root) != kNoIndex) {
    ++g_.need[g_.root(slot)];
  } else if (g_.entries[root].attached <= slot) {  // kNoIndex is above every slot
    edge(g_.future(root), g_.root(slot));
  }
}

// Who needs everyone gets nowhere. Who needs a root only does where that one's call fits its own.
void GraphBuilder::need_misfits(Index slot) {
  never(g_.arrived(slot));
  never(g_.root(slot));
  const Index end = g_.slots[slot + 1].first_operation;
  Index known_root = kNoIndex;  // the last one that was looked up, and its operation
  Index known = kNoIndex;
  for (Index at = g_.slots[slot].first_operation; at < end; ++at) {
    const WaitGraph::Operation& operation = g_.operations[g_.slot_operations[at]];
    if (operation.wants != MustArrive::root) continue;
    const record::Operation& record = g_.source(operation);
    const Index root = g_.entry_of(g_.slots[slot].communicator, record.peer);
    const NodeId complete = g_.complete(operation);
    if (root == kNoIndex) {
      --g_.need[complete];
      continue;
    }
    if (root != known_root) known = operation_at(slot, root);
    known_root = root;
    const Index other = known;
    if (other != kNoIndex) {
      const Shape shape = shape_of(g_.source(g_.operations[other]));
      if (difference(shape, shape_of(record)) == Difference::fatal) continue;
      g_.edges_.add(g_.come(g_.operations[other]), complete);
    } else if (g_.entries[root].attached <= slot) {
      g_.edges_.add(g_.future(root), complete);
    } else if (fits_past(slot, root, shape_of(record))) {
      --g_.need[complete];
    }
  }
}

Index GraphBuilder::operation_at(Index slot, Index entry) const {
  const Index end = g_.slots[slot + 1].first_operation;
  for (Index at = g_.slots[slot].first_operation; at < end; ++at) {
    if (g_.operations[g_.slot_operations[at]].entry == entry) return g_.slot_operations[at];
  }
  return kNoIndex;
}

bool GraphBuilder::fits_past(Index slot, Index entry, const Shape& shape) const {
  if (ledger_ == nullptr) return true;
  const Disagreement* known =
      ledger_->mismatch(g_.communicators[g_.slots[slot].communicator].id, g_.number_of(slot));
  if (known == nullptr) return true;
  const int rank = g_.snapshots[g_.entries[entry].process].rank;
  return std::none_of(known->sides.begin(), known->sides.end(), [&](const auto& side) {
    return difference(side.shape, shape) == Difference::fatal &&
           std::binary_search(side.ranks.begin(), side.ranks.end(), rank);
  });
}

void GraphBuilder::need_hosts() {
  for (Index process = 0; process < g_.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = g_.snapshots[process];
    const NodeId host = g_.host(process);
    if (g_.processes[process].gone) {
      never(host);
    } else if (g_.processes[process].trusted) {
      // A process none of whose recorded threads is left has other code to run.
      const bool driven = std::any_of(snapshot.threads.begin(), snapshot.threads.end(),
                                      [](const record::Thread& thread) { return thread.exists; });
      const bool awake = !driven || g_.strictly_awake(process);
      g_.need[host] = awake && hosts_ == Hosts::may_act ? 0 : 1;
    }
  }
  for (Index entry = 0; entry < g_.entries.size(); ++entry) {
    ++g_.need[g_.future(entry)];
    if (g_.entries[entry].left) never(g_.future(entry));
  }
  ++g_.need[g_.any_host()];
  for (Index which = 0; which < g_.alternatives; ++which) ++g_.need[g_.any(which)];
}

}  // namespace gridlock::detect
