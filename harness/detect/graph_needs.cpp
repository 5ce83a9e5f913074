// What units, slots and hosts need, and the orders that hold streams back.
#include <algorithm>

#include "harness/detect/graph_builder.h"

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
  for (const WaitGraph::Operation& operation : g_.operations) {
    if (operation.slot != kNoIndex &&
        operation.wants != static_cast<std::uint8_t>(MustArrive::nobody)) {
      ++g_.need[g_.complete(operation)];
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
  const std::int32_t rank = g_.slots[slot].root;
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
    if (operation.wants != static_cast<std::uint8_t>(MustArrive::root)) continue;
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
      if (g_.operations[other].shape != operation.shape) continue;
      g_.edges_.emplace_back(g_.come(g_.operations[other]), complete);
    } else if (g_.entries[root].attached <= slot) {
      g_.edges_.emplace_back(g_.future(root), complete);
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
}

void GraphBuilder::order_communicators() {
  // NCCL runs the operations of one communicator in the order of their calls, on whatever streams.
  const auto done = [this](const WaitGraph::Operation& operation) {
    return operation.part == kNoIndex ? g_.pass(operation.unit) : g_.done(operation.part);
  };
  for (Index index = 0; index < g_.operations.size(); ++index) {
    const WaitGraph::Operation& operation = g_.operations[index];
    if (operation.entry == kNoIndex) continue;
    const Index last = g_.entries[operation.entry].last_operation;
    g_.entries[operation.entry].last_operation = index;
    if (last == kNoIndex) continue;
    const WaitGraph::Operation& before = g_.operations[last];
    if (operation.part != kNoIndex) {
      if (before.part != operation.part) edge(done(before), g_.begin(operation.part));
    } else if (before.stream != operation.stream) {
      edge(done(before), g_.reach(operation.unit));
    }
  }
  for (Index entry = 0; entry < g_.entries.size(); ++entry) {
    const Index last = g_.entries[entry].last_operation;
    if (last != kNoIndex) edge(done(g_.operations[last]), g_.future(entry));
  }
}

void GraphBuilder::order_legacy(Index process) {
  const record::Snapshot& snapshot = g_.snapshots[process];
  const Index first = g_.processes[process].first_stream;
  if (g_.processes[process + 1].first_stream == first) return;
  const auto hold_back = [&](Index earlier, Index later) {
    for (Index at = 0; at < g_.streams[later].units; ++at) {
      if (snapshot.streams[later - first].started > g_.streams[later].completed + at) continue;
      const Index unit = g_.streams[later].first_unit + at;
      wait_for_unit(unit_before(earlier, time_of(process, unit)), g_.reach(unit));
    }
  };
  for (Index legacy = 0; legacy < snapshot.streams.size(); ++legacy) {
    if (!snapshot.streams[legacy].legacy || g_.streams[first + legacy].units == 0) continue;
    for (Index other = 0; other < snapshot.streams.size(); ++other) {
      const record::Stream& stream = snapshot.streams[other];
      if (stream.legacy || stream.non_blocking || g_.streams[first + other].units == 0 ||
          stream.device != snapshot.streams[legacy].device) {
        continue;
      }
      hold_back(first + legacy, first + other);
      hold_back(first + other, first + legacy);
    }
  }
}

void GraphBuilder::order_events(Index process) {
  const record::Snapshot& snapshot = g_.snapshots[process];
  const Index first = g_.processes[process].first_stream;
  for (Index index = g_.processes[process].first_operation;
       index < g_.processes[process + 1].first_operation; ++index) {
    const WaitGraph::Operation& operation = g_.operations[index];
    if (operation.call != Call::event_wait) continue;
    const record::Operation& record = snapshot.operations[operation.source];
    if (record.event_stream >= snapshot.streams.size()) continue;
    const Index unit = unit_up_to(first + record.event_stream, record.event_position);
    if (unit != operation.unit) wait_for_unit(unit, g_.pass(operation.unit));
  }
}

Index GraphBuilder::unit_up_to(Index stream, std::uint64_t position) const {
  const WaitGraph::Stream& of = g_.streams[stream];
  if (of.units == 0 || position <= of.completed) return kNoIndex;
  const std::uint64_t ahead = std::min<std::uint64_t>(position - of.completed, of.units);
  return of.first_unit + static_cast<Index>(ahead) - 1;
}

Index GraphBuilder::unit_before(Index stream, std::int64_t time_ns) const {
  const WaitGraph::Stream& of = g_.streams[stream];
  Index before = 0;  // units known to be earlier
  Index end = of.units;
  while (before < end) {
    const Index middle = before + (end - before) / 2;
    if (time_of(of.process, of.first_unit + middle) < time_ns) {
      before = middle + 1;
    } else {
      end = middle;
    }
  }
  return before == 0 ? kNoIndex : of.first_unit + before - 1;
}

std::int64_t GraphBuilder::time_of(Index process, Index unit) const {
  const Index operation = g_.first_operation[unit];
  if (operation == kNoIndex) return 0;
  return g_.snapshots[process].operations[g_.operations[operation].source].time_ns;
}

}  // namespace gridlock::detect
