// The orders that hold streams back: of a communicator's calls, of the legacy stream, of events.
#include <algorithm>

#include "harness/detect/graph/builder.h"

namespace gridlock::detect {

using record::Call;

// NCCL runs the operations of one communicator in the order of their calls, on whatever streams.
// What one stream or one part orders anyway is left out.
void GraphBuilder::find_orders(Index process) {
  const auto& records = g_.snapshots[process].operations;
  const auto stream_of = [&](const WaitGraph::Operation& operation) {
    return records[operation.source].stream;
  };
  for (Index index = g_.processes[process].first_operation; index < g_.operations.size(); ++index) {
    const WaitGraph::Operation& operation = g_.operations[index];
    // MPI's need not wait for each other.
    if (operation.entry == kNoIndex || record::is_mpi(operation.call)) continue;
    const Index last = g_.entries[operation.entry].last_operation;
    g_.entries[operation.entry].last_operation = index;
    if (last == kNoIndex) continue;
    const WaitGraph::Operation& before = g_.operations[last];
    const bool ordered = WaitGraph::is_alone(operation)
                             ? stream_of(before) == stream_of(operation)
                             : g_.part_of(before) == g_.part_of(operation);
    if (!ordered) orders_.emplace_back(last, index);
  }
}

void GraphBuilder::order_communicators() {
  const auto done = [this](Index index) {
    const WaitGraph::Operation& operation = g_.operations[index];
    return WaitGraph::is_alone(operation) ? g_.pass(operation.unit)
                                          : g_.done(g_.part_of(operation));
  };
  for (const auto& [before, index] : orders_) {
    const WaitGraph::Operation& operation = g_.operations[index];
    edge(done(before), WaitGraph::is_alone(operation) ? g_.reach(operation.unit)
                                                      : g_.begin(g_.part_of(operation)));
  }
  for (Index entry = 0; entry < g_.entries.size(); ++entry) {
    const Index last = g_.entries[entry].last_operation;
    if (last != kNoIndex) edge(done(last), g_.future(entry));
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

void GraphBuilder::order_events() {
  for (const Index index : event_waits_) {
    const WaitGraph::Operation& operation = g_.operations[index];
    const Index process = g_.process_of_unit(operation.unit);
    const record::Snapshot& snapshot = g_.snapshots[process];
    const Index first = g_.processes[process].first_stream;
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
  // Most waits are for all that there is.
  if (of.units > 0 && time_of(of.process, of.first_unit + of.units - 1) < time_ns) {
    return of.first_unit + of.units - 1;
  }
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
