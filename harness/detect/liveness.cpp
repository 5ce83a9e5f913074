// Lets everything in the wait-for graph happen that can.
#include <algorithm>

#include "harness/detect/wait_graph.h"

namespace gridlock::detect {

void WaitGraph::sort_edges() {
  first_edge_.assign(nodes() + 1, 0);
  for (const auto& [from, to] : edges_) ++first_edge_[from + 1];
  for (NodeId node = 0; node < nodes(); ++node) first_edge_[node + 1] += first_edge_[node];
  edge_targets_.resize(edges_.size());
  // Filling moves each start to its end, which is the next one's start: shift back afterwards.
  for (const auto& [from, to] : edges_) edge_targets_[first_edge_[from]++] = to;
  for (NodeId node = nodes(); node > 0; --node) first_edge_[node] = first_edge_[node - 1];
  first_edge_[0] = 0;
}

void WaitGraph::propagate() {
  stack_.clear();
  for (NodeId node = 0; node < nodes(); ++node) {
    if (need[node] == 0) stack_.push_back(node);
  }
  while (!stack_.empty()) {
    const NodeId node = stack_.back();
    stack_.pop_back();
    fire(node);
    for (Index edge = first_edge_[node]; edge < first_edge_[node + 1]; ++edge) {
      release(edge_targets_[edge]);
    }
  }
}

void WaitGraph::arrive(const Operation& operation) {
  if (operation.slot == kNoIndex) return;
  release(arrived(operation.slot));
  if (slots[operation.slot].root >= 0 && rank_of(operation.entry) == slots[operation.slot].root) {
    release(root(operation.slot));
  }
}

void WaitGraph::fire(NodeId node) {
  if (node < units) {  // reach
    for (Index at = first_operation[node]; at != kNoIndex; at = operations[at].next) {
      if (operations[at].part == kNoIndex) arrive(operations[at]);
    }
    release(pass(node));
  } else if (node < slots_at_) {  // pass: the stop behind a stream's last unit never fires
    release(reach(node - units + 1));
  } else if (node < threads_at_) {
    const Index kind = (node - slots_at_) / slot_count;
    const Index slot = (node - slots_at_) % slot_count;
    if (kind == 0) {
      release(called(slot + 1));
    } else if (kind == 1) {
      release(arrived(slot));
      release(coming(slot + 1));
    } else {
      const auto wanted =
          static_cast<std::uint8_t>(kind == 2 ? MustArrive::everyone : MustArrive::root);
      for (Index at = slots[slot].first_operation; at < slots[slot + 1].first_operation; ++at) {
        const Operation& operation = operations[slot_operations[at]];
        if (operation.wants == wanted) release(complete(operation));
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
    release(any_host());
  } else if (node < gatherings_at_) {
    const Entry& entry = entries[node - futures_at_];
    if (entry.attached != kNoIndex) release(coming(entry.attached));
  } else if (node >= grouped_at_ && node < parts_at_ && (node - grouped_at_) % 2 == 0) {
    arrive(operations[grouped[(node - grouped_at_) / 2]]);
  }
}

}  // namespace gridlock::detect
