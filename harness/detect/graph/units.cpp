// Positions are dense, so a unit is found by counting; launches are found by bisection.
#include "harness/detect/graph/units.h"

#include <algorithm>

namespace gridlock::detect {

void add_streams(WaitGraph& graph, Index process) {
  const record::Snapshot& snapshot = graph.snapshots[process];
  const Index first = graph.processes[process].first_stream;
  for (const record::Stream& record : snapshot.streams) {
    // `started` is read after `completed`; everything before `started` is past.
    const std::uint64_t completed =
        record.started > 0 ? std::max(record.completed, record.started - 1) : record.completed;
    graph.streams.push_back({.process = process, .completed = completed, .mpi = record.mpi});
  }
  // How far each stream's positions go: an operation is recorded before the device gets it.
  std::vector<WaitGraph::Stream>& streams = graph.streams;
  for (const record::Operation& operation : snapshot.operations) {
    if (operation.stream >= snapshot.streams.size()) continue;
    WaitGraph::Stream& stream = streams[first + operation.stream];
    if (operation.position > stream.completed) {
      const std::uint64_t ahead = operation.position - stream.completed;
      // Positions are dense, so there cannot be more of them than operations. A gap proves nothing.
      if (ahead > snapshot.operations.size()) continue;
      stream.units = std::max(stream.units, static_cast<Index>(ahead));
    }
  }
  for (Index index = first; index < streams.size(); ++index) {
    streams[index].first_unit = static_cast<Index>(graph.first_operation.size());
    graph.first_operation.resize(graph.first_operation.size() + streams[index].units + 1, kNoIndex);
  }
}

namespace {

// Whether the recorder marks when the device reaches an operation.
bool shows_starts(const record::Snapshot& snapshot, const record::Stream& stream) {
  if (stream.polled || stream.mpi || stream.legacy) return false;
  return stream.non_blocking ||
         std::ranges::none_of(snapshot.streams, [&](const record::Stream& other) {
           return other.legacy && other.device == stream.device;
         });
}

const record::Stream& record_of(const WaitGraph& graph, Index stream) {
  const Index process = graph.streams[stream].process;
  return graph.snapshots[process].streams[stream - graph.processes[process].first_stream];
}

}  // namespace

bool may_be_behind_work(const WaitGraph& graph, Index stream) {
  const WaitGraph::Stream& of = graph.streams[stream];
  const record::Stream& record = record_of(graph, stream);
  if (of.units == 0 || record.mpi || record.started > of.completed) return false;
  const Index first = graph.first_operation[of.first_unit];
  const bool communicates = first != kNoIndex && graph.operations[first].entry != kNoIndex;
  return communicates || shows_starts(graph.snapshots[of.process], record);
}

void need_units(WaitGraph& graph, Hosts hosts) {
  for (Index index = 0; index < graph.streams.size(); ++index) {
    const WaitGraph::Stream& stream = graph.streams[index];
    const WaitGraph::Process& process = graph.processes[stream.process];
    const record::Snapshot& snapshot = graph.snapshots[stream.process];
    const record::Stream& record = record_of(graph, index);
    const bool is_unshown = !record.polled && !record.mpi && graph.parameters.unshown_work_stays;
    const bool may_be_held = is_unshown || shows_starts(snapshot, record);
    for (Index at = 0; at < stream.units; ++at) {
      const Index unit = stream.first_unit + at;
      const bool started = record.started > stream.completed + at;
      graph.need[graph.pass(unit)] = 1;
      // A first unit that has not started waits for unrecorded work, which ends. In a process that
      // is gone, nothing goes on.
      graph.need[graph.reach(unit)] = started || at == 0 ? 0 : 1;
      const bool is_behind_work = at == 0 && !started && may_be_held;
      if (process.gone || (is_behind_work && hosts == Hosts::frozen)) {
        graph.never(graph.reach(unit));
      }
    }
    graph.never(graph.reach(stream.first_unit + stream.units));
    graph.never(graph.pass(stream.first_unit + stream.units));
  }
}

Index unit_up_to(const WaitGraph& graph, Index stream, std::uint64_t position) {
  const WaitGraph::Stream& of = graph.streams[stream];
  if (of.units == 0 || position <= of.completed) return kNoIndex;
  const std::uint64_t ahead = std::min<std::uint64_t>(position - of.completed, of.units);
  return of.first_unit + static_cast<Index>(ahead) - 1;
}

const record::Operation* operation_of(const WaitGraph& graph, Index process, Index unit) {
  const Index operation = graph.first_operation[unit];
  if (operation == kNoIndex) return nullptr;
  return &graph.snapshots[process].operations[graph.operations[operation].source];
}

Index unit_launched_by(const WaitGraph& graph, Index stream, std::uint64_t launches) {
  const WaitGraph::Stream& of = graph.streams[stream];
  const auto is_among = [&](Index at) {
    const record::Operation* operation = operation_of(graph, of.process, of.first_unit + at);
    return operation == nullptr || operation->launched <= launches;
  };
  // Most waits are for everything.
  if (of.units > 0 && is_among(of.units - 1)) return of.first_unit + of.units - 1;
  Index among = 0;  // units known to be among them
  Index end = of.units;
  while (among < end) {
    const Index middle = among + (end - among) / 2;
    if (is_among(middle)) {
      among = middle + 1;
    } else {
      end = middle;
    }
  }
  return among == 0 ? kNoIndex : of.first_unit + among - 1;
}

}  // namespace gridlock::detect
