// A part begins when all its streams have reached it, and holds them until it is done.
#include "harness/detect/graph/meetings/parts.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace gridlock::detect {
namespace {

using record::Call;
using PartOfLeader = std::unordered_map<std::uint64_t, Index>;

void join(WaitGraph& graph, Index part, Index index) {
  WaitGraph::Operation& operation = graph.operations[index];
  if (!WaitGraph::is_alone(operation)) return;
  operation.grouped = static_cast<Index>(graph.grouped.size());
  graph.grouped.push_back({.operation = index, .part = part});
  graph.parts[part].operations.push_back(index);
}

Index part_of_leader(WaitGraph& graph, Index process, PartOfLeader& known, std::uint64_t leader) {
  const auto [found, is_new] = known.try_emplace(leader, static_cast<Index>(graph.parts.size()));
  if (!is_new) return found->second;
  const Index part = found->second;
  graph.parts.push_back({.leader = leader, .past = false, .operations = {}});
  const auto begin = graph.operations.begin() + graph.processes[process].first_operation;
  const auto end = graph.operations.end();  // this process is the last so far
  const auto index_of = [&](const WaitGraph::Operation& operation) {
    return graph.snapshots[process].operations[operation.source].index;
  };
  const auto at = std::lower_bound(begin, end, leader, [&](const auto& operation, auto wanted) {
    return index_of(operation) < wanted;
  });
  if (at == end || index_of(*at) != leader) {
    graph.parts[part].past = true;
  } else {
    join(graph, part, static_cast<Index>(at - graph.operations.begin()));
  }
  return part;
}

// Within a part, collectives run one after the other and messages at the same time, except that
// receives from one rank complete in order.
void order_part(WaitGraph& graph, Index part) {
  std::vector<Index> units;
  Index collective = kNoIndex;
  std::unordered_map<std::int32_t, Index> received;  // by peer: the last receive
  for (const Index index : graph.parts[part].operations) {
    const WaitGraph::Operation& operation = graph.operations[index];
    units.push_back(operation.unit);
    graph.edge(graph.begin(part), graph.come(operation));
    graph.edge(graph.come(operation), graph.complete(operation));
    graph.edge(graph.complete(operation), graph.done(part));
    Index* before = nullptr;
    if (graph.slot_of(operation) != kNoIndex) before = &collective;
    if (operation.call == Call::recv) {
      before = &received.try_emplace(graph.source(operation).peer, kNoIndex).first->second;
    }
    if (before == nullptr) continue;
    if (*before != kNoIndex)
      graph.edge(graph.complete(graph.operations[*before]), graph.come(operation));
    *before = index;
  }
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  for (const Index unit : units) {
    graph.edge(graph.reach(unit), graph.begin(part));
    graph.edge(graph.done(part), graph.pass(unit));
  }
}

// The launch of a CUDA graph in which one communication follows the other.
void order_line(WaitGraph& graph, Index part) {
  const Index unit = graph.operations[graph.parts[part].operations.front()].unit;
  Index at = graph.first_operation[unit];  // the last of the launch: the list runs backwards
  if (graph.part_of(graph.operations[at]) != part) return;  // once for each launch
  for (Index later = part; at != kNoIndex; at = graph.operations[at].next) {
    const Index earlier = graph.part_of(graph.operations[at]);
    if (earlier != later) graph.edge(graph.done(earlier), graph.begin(later));
    later = earlier;
  }
}

// Whether a group's communicators that share a stream run in the order of their first calls. Since
// 2.26 NCCL sorts them by a hash that it shows nobody (ncclGroupCommJoin in src/include/group.h).
bool runs_in_order_of_calls(const record::Snapshot& snapshot) {
  constexpr std::int32_t kFirstThatSorts = 22600;
  const std::int32_t version = snapshot.nccl_version;  // 0: not known
  return snapshot.own_nccl() || (version != 0 && version < kFirstThatSorts);
}

// Within a group, communicators that share a stream run one after the other. The launch of a CUDA
// graph is a line, or no order is known: its branches run side by side.
void order_parts_of_a_group(WaitGraph& graph, Index part) {
  const std::vector<Index>& operations = graph.parts[part].operations;
  const WaitGraph::Operation& leader = graph.operations[operations.front()];
  const record::Graph launched_by = graph.source(leader).graph;
  if (launched_by == record::Graph::line) order_line(graph, part);
  if (launched_by != record::Graph::none || graph.is_copy(leader)) return;
  if (!runs_in_order_of_calls(graph.snapshots[graph.entries[leader.entry].process])) return;
  std::vector<Index> earlier;
  std::vector<Index> looked_at;
  for (const Index index : operations) {
    const Index unit = graph.operations[index].unit;
    if (std::find(looked_at.begin(), looked_at.end(), unit) != looked_at.end()) continue;
    looked_at.push_back(unit);
    for (Index at = graph.first_operation[unit]; at != kNoIndex; at = graph.operations[at].next) {
      const Index other = graph.part_of(graph.operations[at]);
      if (other == kNoIndex || graph.parts[other].leader >= graph.parts[part].leader) continue;
      earlier.push_back(other);
    }
  }
  std::sort(earlier.begin(), earlier.end());
  earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
  for (const Index other : earlier) graph.edge(graph.done(other), graph.begin(part));
}

}  // namespace

void find_parts(WaitGraph& graph, Index process) {
  PartOfLeader known;
  const record::Snapshot& snapshot = graph.snapshots[process];
  for (Index index = graph.processes[process].first_operation; index < graph.operations.size();
       ++index) {
    const WaitGraph::Operation& operation = graph.operations[index];
    if (operation.entry == kNoIndex) continue;
    const record::Operation& record = snapshot.operations[operation.source];
    const bool shares_unit =
        graph.first_operation[operation.unit] != index || operation.next != kNoIndex;
    const bool leads = record.leader == 0 || graph.is_copy(operation);
    if (leads && !shares_unit && record.graph == record::Graph::none) continue;
    join(graph, part_of_leader(graph, process, known, leads ? record.index : record.leader - 1),
         index);
  }
}

void need_parts(WaitGraph& graph) {
  for (Index part = 0; part < graph.parts.size(); ++part) {
    if (graph.parts[part].past) continue;
    order_part(graph, part);
    order_parts_of_a_group(graph, part);
  }
  // Parts that are past, whatever their streams show so far. This comes last, so that nothing
  // undoes it.
  for (Index part = 0; part < graph.parts.size(); ++part) {
    if (graph.parts[part].past) let_pass(graph, part);
  }
}

void let_pass(WaitGraph& graph, Index part) {
  for (const NodeId node : {graph.begin(part), graph.done(part)}) graph.need[node] = 0;
  for (const Index operation : graph.parts[part].operations) {
    graph.need[graph.come(graph.operations[operation])] = 0;
    graph.need[graph.complete(graph.operations[operation])] = 0;
  }
}

}  // namespace gridlock::detect
