// Streams and the operations in flight on them: one walk over a snapshot.
#include <algorithm>
#include <tuple>

#include "harness/detect/calls/rules.h"
#include "harness/detect/graph/builder.h"

namespace gridlock::detect {

void GraphBuilder::add_streams(Index process) {
  const record::Snapshot& snapshot = g_.snapshots[process];
  const Index first = g_.processes[process].first_stream;
  for (const record::Stream& record : snapshot.streams) {
    // `started` is read after `completed`: what is before it is past.
    const std::uint64_t completed =
        record.started > 0 ? std::max(record.completed, record.started - 1) : record.completed;
    g_.streams.push_back({.process = process, .completed = completed, .mpi = record.mpi});
  }
  // How far each stream's positions go: an operation is recorded before it is handed over.
  std::vector<WaitGraph::Stream>& streams = g_.streams;
  for (const record::Operation& operation : snapshot.operations) {
    if (operation.stream >= snapshot.streams.size()) continue;
    WaitGraph::Stream& stream = streams[first + operation.stream];
    if (operation.position > stream.completed) {
      const std::uint64_t ahead = operation.position - stream.completed;
      // Positions are dense, so there cannot be more of them than operations; a hole is not proof.
      if (ahead > snapshot.operations.size()) continue;
      stream.units = std::max(stream.units, static_cast<Index>(ahead));
    }
  }
  for (Index index = first; index < streams.size(); ++index) {
    streams[index].first_unit = static_cast<Index>(g_.first_operation.size());
    g_.first_operation.resize(g_.first_operation.size() + streams[index].units + 1, kNoIndex);
  }
}

void GraphBuilder::add_operations(Index process) {
  const record::Snapshot& snapshot = g_.snapshots[process];
  const WaitGraph::Process& begin = g_.processes[process];
  const auto entries = static_cast<Index>(g_.entries.size()) - begin.first_entry;
  for (Index source = 0; source < snapshot.operations.size(); ++source) {
    const record::Operation& record = snapshot.operations[source];
    if (record.stream >= snapshot.streams.size() || record.position == 0) continue;
    if (record.result != 0) continue;  // the call failed: nothing is on the stream
    const WaitGraph::Stream& stream = g_.streams[begin.first_stream + record.stream];
    const bool communicates = record::is_communication(record.call);
    if (communicates && record.communicator >= entries) continue;
    const Index entry = communicates ? begin.first_entry + record.communicator : kNoIndex;
    const bool message = record::is_message(record.call);
    if (record.position <= stream.completed || record.position - stream.completed > stream.units) {
      if (message && !record::is_mpi(record.call)) add_message(record, entry, kNoIndex);
      continue;
    }
    const auto index = static_cast<Index>(g_.operations.size());
    const Index unit =
        stream.first_unit + static_cast<Index>(record.position - stream.completed) - 1;
    WaitGraph::Operation operation{.source = source,
                                   .unit = unit,
                                   .next = g_.first_operation[unit],
                                   .entry = entry,
                                   .call = record.call};
    g_.first_operation[unit] = index;
    if (message) {
      add_message(record, entry, index);
    } else if (communicates) {
      describe_collective(record, snapshot.communicators[record.communicator], operation);
    }
    if (record.call == record::Call::event_wait) event_waits_.push_back(index);
    g_.operations.push_back(operation);
  }
  std::sort(g_.messages.begin() + begin.first_message, g_.messages.end(),
            [](const Message& a, const Message& b) {
              return std::tie(a.entry, a.sends, a.peer, a.number) <
                     std::tie(b.entry, b.sends, b.peer, b.number);
            });
}

// `operation` is of its entry already.
void GraphBuilder::describe_collective(const record::Operation& record,
                                       const record::Communicator& own,
                                       WaitGraph::Operation& operation) {
  WaitGraph::Entry& entry = g_.entries[operation.entry];
  windows_[entry.communicator].add(record.slot, shape_of(record));
  entry.next_slot = std::max(entry.next_slot, record.slot + 1);
  operation.slot_number = static_cast<Index>(record.slot);
  if (entry.aborted) return;
  operation.wants = must_arrive(record, own.rank, own.size, g_.parameters.buffer_bytes);
}

void GraphBuilder::add_message(const record::Operation& operation, Index entry, Index in_flight) {
  const bool takes_anything =
      record::is_mpi(operation.call) &&
      (operation.peer == record::kAnyPeer || operation.tag == record::kAnyTag);
  g_.messages.push_back({.entry = entry,
                         .peer = operation.peer,
                         .tag = operation.tag,
                         .number = operation.slot,
                         .bytes = bytes_of(operation),
                         .operation = in_flight,
                         .sends = record::sends(operation.call),
                         .alternatives = takes_anything ? g_.alternatives++ : kNoIndex});
}

}  // namespace gridlock::detect
