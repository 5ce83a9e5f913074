// Each order is an edge from what ends to what may begin.
#include "harness/detect/graph/meetings/orders.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "harness/detect/graph/units.h"

namespace gridlock::detect {

namespace {

// Whether NCCL got the first call before the second. Calls of two threads may overlap.
bool came_before(const record::Operation& first, const record::Operation& second) {
  if (first.launched != 0 && first.launched == second.launched) return true;
  if (first.launched != 0) return first.launched <= second.called;
  return second.launched == 0 && first.thread == second.thread;
}

// The operations of `process` from `first` on, in the order of their launches, which is usually
// that of the record. What is not launched comes last.
std::vector<Index> by_launch(const WaitGraph& graph, Index process, Index first) {
  std::vector<Index> order(graph.operations.size() - first);
  std::iota(order.begin(), order.end(), first);
  const auto& records = graph.snapshots[process].operations;
  const auto launch = [&](Index index) {
    return records[graph.operations[index].source].launched - 1;  // 0 becomes the largest
  };
  const auto earlier = [&](Index a, Index b) { return launch(a) < launch(b); };
  if (!std::is_sorted(order.begin(), order.end(), earlier)) {
    std::stable_sort(order.begin(), order.end(), earlier);
  }
  return order;
}

}  // namespace

void find_orders(WaitGraph& graph, Index process, std::vector<Order>& orders) {
  const auto& records = graph.snapshots[process].operations;
  const Index first = graph.processes[process].first_operation;
  const auto record_of = [&](Index index) -> const record::Operation& {
    return records[graph.operations[index].source];
  };
  std::vector<Index> previous(graph.operations.size() - first, kNoIndex);  // on the communicator
  for (const Index index : by_launch(graph, process, first)) {
    const WaitGraph::Operation& operation = graph.operations[index];
    // MPI's operations need not wait for each other.
    if (operation.entry == kNoIndex || record::is_mpi(operation.call)) continue;
    if (graph.is_copy(operation)) continue;
    previous[index - first] = graph.entries[operation.entry].last_operation;
    graph.entries[operation.entry].last_operation = index;
    const record::Operation& record = record_of(index);
    if (record.leader != 0) continue;  // its part begins with its leader
    // Those called up to here wait for one that is found already.
    std::uint64_t covered = 0;
    for (Index at = previous[index - first]; at != kNoIndex; at = previous[at - first]) {
      const record::Operation& before = record_of(at);
      if (before.launched != 0 && before.launched <= covered) break;
      if (!came_before(before, record)) continue;
      covered = std::max(covered, before.called);
      const bool ordered = WaitGraph::is_alone(operation)
                               ? before.stream == record.stream
                               : graph.part_of(graph.operations[at]) == graph.part_of(operation);
      if (!ordered) orders.emplace_back(at, index);
      // What its thread called before it is found through it, and nothing else came before.
      if (before.launched == 0) break;
    }
  }
}

void order_communicators(WaitGraph& graph, std::span<const Order> orders) {
  for (const auto& [before, index] : orders) {
    const WaitGraph::Operation& operation = graph.operations[index];
    graph.edge(graph.ends(graph.operations[before]), WaitGraph::is_alone(operation)
                                                         ? graph.reach(operation.unit)
                                                         : graph.begin(graph.part_of(operation)));
  }
  for (Index entry = 0; entry < graph.entries.size(); ++entry) {
    const Index last = graph.entries[entry].last_operation;
    if (last != kNoIndex) graph.edge(graph.ends(graph.operations[last]), graph.future(entry));
  }
}

void order_legacy(WaitGraph& graph, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const Index first = graph.processes[process].first_stream;
  if (graph.processes[process + 1].first_stream == first) return;
  const auto hold_back = [&](Index earlier, Index later) {
    for (Index at = 0; at < graph.streams[later].units; ++at) {
      if (snapshot.streams[later - first].started > graph.streams[later].completed + at) continue;
      const Index unit = graph.streams[later].first_unit + at;
      const record::Operation* operation = operation_of(graph, process, unit);
      if (operation == nullptr) continue;
      graph.wait_for(unit_launched_by(graph, earlier, operation->called), graph.reach(unit));
    }
  };
  for (Index legacy = 0; legacy < snapshot.streams.size(); ++legacy) {
    if (!snapshot.streams[legacy].legacy || graph.streams[first + legacy].units == 0) continue;
    for (Index other = 0; other < snapshot.streams.size(); ++other) {
      const record::Stream& stream = snapshot.streams[other];
      if (stream.legacy || stream.non_blocking || graph.streams[first + other].units == 0 ||
          stream.device != snapshot.streams[legacy].device) {
        continue;
      }
      hold_back(first + legacy, first + other);
      hold_back(first + other, first + legacy);
    }
  }
}

void order_events(WaitGraph& graph, std::span<const Index> waits) {
  for (const Index index : waits) {
    const WaitGraph::Operation& operation = graph.operations[index];
    const Index process = graph.process_of_unit(operation.unit);
    const record::Snapshot& snapshot = graph.snapshots[process];
    const Index first = graph.processes[process].first_stream;
    const record::Operation& record = snapshot.operations[operation.source];
    if (record.event_stream >= snapshot.streams.size()) continue;
    const Index unit = unit_up_to(graph, first + record.event_stream, record.event_position);
    if (unit != operation.unit) graph.wait_for(unit, graph.pass(operation.unit));
  }
}

}  // namespace gridlock::detect
