// Groups: what one does on one communicator runs as one, on whatever streams it was called.
#include <algorithm>

#include "harness/detect/graph/builder.h"

namespace gridlock::detect {

using record::Call;

// Operations that were called alone are in no part, and cost nothing here.
void GraphBuilder::find_parts(Index process) {
  part_of_leader_.clear();
  const record::Snapshot& snapshot = g_.snapshots[process];
  for (Index index = g_.processes[process].first_operation; index < g_.operations.size(); ++index) {
    const WaitGraph::Operation& operation = g_.operations[index];
    if (operation.entry == kNoIndex) continue;
    const record::Operation& record = snapshot.operations[operation.source];
    const bool shares_unit =
        g_.first_operation[operation.unit] != index || operation.next != kNoIndex;
    if (record.leader == 0 && !shares_unit) continue;
    join(part_of_leader(process, record.leader == 0 ? record.index : record.leader - 1), index);
  }
}

Index GraphBuilder::part_of_leader(Index process, std::uint64_t leader) {
  const auto [found, is_new] =
      part_of_leader_.try_emplace(leader, static_cast<Index>(g_.parts.size()));
  if (!is_new) return found->second;
  const Index part = found->second;
  g_.parts.push_back({.leader = leader, .past = false, .operations = {}});
  const auto begin = g_.operations.begin() + g_.processes[process].first_operation;
  const auto end = g_.operations.end();  // this process is the last one so far
  const auto index_of = [&](const WaitGraph::Operation& operation) {
    return g_.snapshots[process].operations[operation.source].index;
  };
  const auto at = std::lower_bound(begin, end, leader, [&](const auto& operation, auto wanted) {
    return index_of(operation) < wanted;
  });
  if (at == end || index_of(*at) != leader) {
    g_.parts[part].past = true;
  } else {
    join(part, static_cast<Index>(at - g_.operations.begin()));
  }
  return part;
}

void GraphBuilder::join(Index part, Index index) {
  WaitGraph::Operation& operation = g_.operations[index];
  if (!WaitGraph::is_alone(operation)) return;
  operation.grouped = static_cast<Index>(g_.grouped.size());
  g_.grouped.push_back({.operation = index, .part = part});
  g_.parts[part].operations.push_back(index);
}

void GraphBuilder::need_parts() {
  for (Index part = 0; part < g_.parts.size(); ++part) {
    if (g_.parts[part].past) continue;
    order_part(part);
    order_parts_of_a_group(part);
  }
  // What is past in fact, whatever the streams have said of it so far. Last, so that it stands.
  for (Index part = 0; part < g_.parts.size(); ++part) {
    if (g_.parts[part].past) let_pass(part);
  }
}

void GraphBuilder::let_pass(Index part) {
  for (const NodeId node : {g_.begin(part), g_.done(part)}) g_.need[node] = 0;
  for (const Index operation : g_.parts[part].operations) {
    g_.need[g_.come(g_.operations[operation])] = 0;
    g_.need[g_.complete(g_.operations[operation])] = 0;
  }
}

// Within a part, collectives go one after the other, messages at the same time, except that what is
// received from one rank is taken in order.
void GraphBuilder::order_part(Index part) {
  std::vector<Index> units;
  Index collective = kNoIndex;
  std::unordered_map<std::int32_t, Index> received;  // by peer, the last one
  for (const Index index : g_.parts[part].operations) {
    const WaitGraph::Operation& operation = g_.operations[index];
    units.push_back(operation.unit);
    edge(g_.begin(part), g_.come(operation));
    edge(g_.come(operation), g_.complete(operation));
    edge(g_.complete(operation), g_.done(part));
    Index* before = nullptr;
    if (g_.slot_of(operation) != kNoIndex) before = &collective;
    if (operation.call == Call::recv) {
      before = &received.try_emplace(g_.source(operation).peer, kNoIndex).first->second;
    }
    if (before == nullptr) continue;
    if (*before != kNoIndex) edge(g_.complete(g_.operations[*before]), g_.come(operation));
    *before = index;
  }
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  for (const Index unit : units) {
    edge(g_.reach(unit), g_.begin(part));
    edge(g_.done(part), g_.pass(unit));
  }
}

// Communicators that share a stream take part in a group in the order of their first calls.
void GraphBuilder::order_parts_of_a_group(Index part) {
  std::vector<Index> earlier;
  std::vector<Index> looked_at;
  for (const Index index : g_.parts[part].operations) {
    const Index unit = g_.operations[index].unit;
    if (std::find(looked_at.begin(), looked_at.end(), unit) != looked_at.end()) continue;
    looked_at.push_back(unit);
    for (Index at = g_.first_operation[unit]; at != kNoIndex; at = g_.operations[at].next) {
      const Index other = g_.part_of(g_.operations[at]);
      if (other == kNoIndex || g_.parts[other].leader >= g_.parts[part].leader) continue;
      earlier.push_back(other);
    }
  }
  std::sort(earlier.begin(), earlier.end());
  earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
  for (const Index other : earlier) edge(g_.done(other), g_.begin(part));
}

}  // namespace gridlock::detect
