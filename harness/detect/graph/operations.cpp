// One walk, in the order of the record.
#include "harness/detect/graph/operations.h"

#include <algorithm>
#include <tuple>

#include "harness/detect/calls/rules.h"
#include "harness/detect/graph/meetings/announced.h"

namespace gridlock::detect {
namespace {

// `operation` already has its entry.
void describe_collective(WaitGraph& graph, Survey& survey, const record::Operation& record,
                         const record::Communicator& own, WaitGraph::Operation& operation) {
  WaitGraph::Entry& entry = graph.entries[operation.entry];
  survey.windows[entry.communicator].add(record.slot, shape_of(record));
  entry.next_slot = std::max(entry.next_slot, record.slot + 1);
  operation.slot_number = static_cast<Index>(record.slot);
  if (entry.aborted) return;
  operation.wants = must_arrive(record, own.rank, own.size, graph.buffer_bytes(entry.process));
  // In a job that stands still, a call that MPI or NCCL has not ended may wait for any member:
  // which ones pass the data on is up to them.
  const bool is_ours = graph.snapshots[entry.process].own_nccl() && !record::is_mpi(record.call);
  if (graph.hosts == Hosts::frozen && !is_ours) operation.wants = MustArrive::everyone;
}

void add_message(WaitGraph& graph, const record::Operation& operation, Index entry,
                 Index in_flight) {
  const bool takes_anything =
      record::is_mpi(operation.call) &&
      (operation.peer == record::kAnyPeer || operation.tag == record::kAnyTag);
  graph.messages.push_back({.entry = entry,
                            .peer = operation.peer,
                            .tag = operation.tag,
                            .number = operation.slot,
                            .bytes = bytes_of(operation),
                            .operation = in_flight,
                            .sends = record::sends(operation.call),
                            .alternatives = takes_anything ? graph.alternatives++ : kNoIndex});
}

// `last` is the latest launch seen on the stream so far.
void note_overlap(Survey& survey, Index stream, const record::Operation& record,
                  std::uint64_t& last) {
  const bool known = !survey.overlapping.empty() && survey.overlapping.back() == stream;
  if (record.called < last && record.launched != last && !known) {
    survey.overlapping.push_back(stream);
  }
  last = std::max(last, record.launched);
}

}  // namespace

void add_operations(WaitGraph& graph, Index process, Survey& survey) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const WaitGraph::Process& begin = graph.processes[process];
  const auto entries = static_cast<Index>(graph.entries.size()) - begin.first_entry;
  std::vector<std::uint64_t> launched(snapshot.streams.size(), 0);  // by stream, the last one
  bool any_open = false;
  for (Index source = 0; source < snapshot.operations.size(); ++source) {
    const record::Operation& record = snapshot.operations[source];
    any_open = any_open || record.open;
    if (record.stream >= snapshot.streams.size()) continue;
    if (record.result != 0) continue;  // the call failed: nothing is on the stream
    const bool announced = record.launched == 0;
    if (announced ? !will_be_launched(snapshot, record) : record.position == 0) continue;
    const WaitGraph::Stream& stream = graph.streams[begin.first_stream + record.stream];
    const bool communicates = record::is_communication(record.call);
    if (communicates && record.communicator >= entries) continue;
    const Index entry = communicates ? begin.first_entry + record.communicator : kNoIndex;
    const bool message = record::is_message(record.call);
    if (!announced && (record.position <= stream.completed ||
                       record.position - stream.completed > stream.units)) {
      if (message && !record::is_mpi(record.call)) add_message(graph, record, entry, kNoIndex);
      continue;
    }
    const auto index = static_cast<Index>(graph.operations.size());
    const Index unit =
        announced ? announced_unit(graph, process, record)
                  : stream.first_unit + static_cast<Index>(record.position - stream.completed) - 1;
    if (!announced) {
      note_overlap(survey, begin.first_stream + record.stream, record, launched[record.stream]);
    }
    // Filled in place: a copy would wait for the stores of its fields.
    WaitGraph::Operation& operation = graph.operations.emplace_back();
    operation.source = source;
    operation.unit = unit;
    operation.next = graph.first_operation[unit];
    operation.entry = entry;
    operation.call = record.call;
    graph.first_operation[unit] = index;
    if (message) {
      add_message(graph, record, entry, index);
    } else if (communicates) {
      describe_collective(graph, survey, record, snapshot.communicators[record.communicator],
                          operation);
    }
    if (record.call == record::Call::event_wait) survey.event_waits.push_back(index);
  }
  graph.processes[process].may_have_open = any_open;
  std::sort(graph.messages.begin() + begin.first_message, graph.messages.end(),
            [](const WaitGraph::Message& a, const WaitGraph::Message& b) {
              return std::tie(a.entry, a.sends, a.peer, a.number) <
                     std::tie(b.entry, b.sends, b.peer, b.number);
            });
}

}  // namespace gridlock::detect
