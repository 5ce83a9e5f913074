// Each order is an edge from what ends to what may begin.
#include "harness/detect/graph/meetings/orders.h"

#include <algorithm>

#include "harness/detect/graph/units.h"

namespace gridlock::detect {

void find_orders(WaitGraph& graph, Index process, std::vector<Order>& orders) {
  const auto& records = graph.snapshots[process].operations;
  const auto stream_of = [&](const WaitGraph::Operation& operation) {
    return records[operation.source].stream;
  };
  for (Index index = graph.processes[process].first_operation; index < graph.operations.size();
       ++index) {
    const WaitGraph::Operation& operation = graph.operations[index];
    // MPI's operations need not wait for each other.
    if (operation.entry == kNoIndex || record::is_mpi(operation.call)) continue;
    const Index last = graph.entries[operation.entry].last_operation;
    graph.entries[operation.entry].last_operation = index;
    if (last == kNoIndex) continue;
    const WaitGraph::Operation& before = graph.operations[last];
    const bool ordered = WaitGraph::is_alone(operation)
                             ? stream_of(before) == stream_of(operation)
                             : graph.part_of(before) == graph.part_of(operation);
    if (!ordered) orders.emplace_back(last, index);
  }
}

void order_communicators(WaitGraph& graph, std::span<const Order> orders) {
  const auto done = [&](Index index) {
    const WaitGraph::Operation& operation = graph.operations[index];
    return WaitGraph::is_alone(operation) ? graph.pass(operation.unit)
                                          : graph.done(graph.part_of(operation));
  };
  for (const auto& [before, index] : orders) {
    const WaitGraph::Operation& operation = graph.operations[index];
    graph.edge(done(before), WaitGraph::is_alone(operation)
                                 ? graph.reach(operation.unit)
                                 : graph.begin(graph.part_of(operation)));
  }
  for (Index entry = 0; entry < graph.entries.size(); ++entry) {
    const Index last = graph.entries[entry].last_operation;
    if (last != kNoIndex) graph.edge(done(last), graph.future(entry));
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
