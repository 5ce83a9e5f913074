// Lets everything in the wait-for graph happen that can.
#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

void WaitGraph::propagate() {
  stack_.clear();
  unprompted.clear();
  for (NodeId node = 0; node < nodes(); ++node) {
    if (need[node] != 0) continue;
    stack_.push_back(node);
    const bool acts = (node >= threads_at_ && node < hosts_at_) || node >= stirs(0);
    if (acts) unprompted.push_back(node);
  }
  while (!stack_.empty()) {
    const NodeId node = stack_.back();
    stack_.pop_back();
    fire(node);
    for (const NodeId target : edges.targets(node)) release(target);
  }
}

void WaitGraph::arrive(const Operation& operation) {
  const Index slot = slot_of(operation);
  if (slot == kNoIndex) return;
  release(arrived(slot));
  const std::int32_t root_rank = slots[slot].shape.root;
  if (root_rank >= 0 && rank_of(operation.entry) == root_rank) release(root(slot));
}

void WaitGraph::reached(Index unit) {
  if (lone_slot[unit] == kNoIndex) return;
  if (lone_slot[unit] != kSeveral) return release(arrived(lone_slot[unit]));
  for (Index at = first_operation[unit]; at != kNoIndex; at = operations[at].next) {
    if (is_alone(operations[at])) arrive(operations[at]);
  }
}

// A process that acts may abort its communicators, which ends what it has in flight there, also if
// that can never fit. What the real NCCL's abort does to others: aborts.h.
void WaitGraph::let_abort(Index process) {
  const Index end = processes[process + 1].first_operation;
  for (Index index = processes[process].first_operation; index < end; ++index) {
    const Operation& operation = operations[index];
    if (operation.entry == kNoIndex || record::is_mpi(operation.call)) continue;
    if (operation.slot_number != kNoIndex && operation.wants != MustArrive::nobody) {
      release(complete(operation));
    }
  }
  for (Index index = processes[process].first_message; index < processes[process + 1].first_message;
       ++index) {
    const Message& message = messages[index];
    if (message.operation == kNoIndex || record_of(message.entry).mpi) continue;
    const NodeId ends = complete(operations[message.operation]);
    if (message.awaits != kNoIndex || message.awaits_entry != kNoIndex) release(ends);
    if (message.misfit) release(ends);
  }
}

void WaitGraph::fire(NodeId node) {
  if (node < slots_at_ && node % 2 == 0) {
    const Index unit = node / 2;
    reached(unit);
    release(pass(unit));
  } else if (node < slots_at_) {  // passed: never the stop behind a stream's last unit
    release(reach(node / 2 + 1));
  } else if (node < threads_at_) {
    const Index kind = (node - slots_at_) / slot_count;
    const Index slot = (node - slots_at_) % slot_count;
    if (kind == 0) {
      release(called(slot + 1));
    } else if (kind == 1) {
      release(arrived(slot));
      release(coming(slot + 1));
    } else {
      const MustArrive wanted = kind == 2 ? MustArrive::everyone : MustArrive::root;
      for (const SlotCall& call : calls_at(slot)) {
        if (call.wants == wanted) release(call.completes);
      }
    }
  } else if (node < hosts_at_) {
    release(host(threads[node - threads_at_].process));
  } else if (node < futures_at_) {
    const Index process = node - hosts_at_;
    for (Index entry = processes[process].first_entry; entry < processes[process + 1].first_entry;
         ++entry) {
      release(future(entry));
      if (entries[entry].attached != kNoIndex) release(called(entries[entry].attached));
    }
    let_abort(process);
    release(any_host());
  } else if (node < gatherings_at_) {
    const Entry& entry = entries[node - futures_at_];
    if (entry.attached != kNoIndex) release(coming(entry.attached));
  } else if (node >= grouped_at_ && node < parts_at_ && (node - grouped_at_) % 2 == 0) {
    arrive(operations[grouped[(node - grouped_at_) / 2].operation]);
  }
}

}  // namespace gridlock::detect
