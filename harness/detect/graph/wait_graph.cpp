// Building a wait-for graph, and what it says of its parts.
#include "harness/detect/graph/wait_graph.h"

#include <algorithm>

#include "harness/detect/graph/builder.h"

namespace gridlock::detect {

void WaitGraph::build(std::span<const record::Snapshot> of, const Parameters& with,
                      const Ledger* ledger, Hosts hosts, std::span<const Index> unseen) {
  snapshots = of;
  parameters = with;
  GraphBuilder(*this, ledger, hosts).build(unseen);
  edges_.sort(nodes());
  propagate();
}

Index WaitGraph::process_of_unit(Index unit) const {
  const auto after =
      std::upper_bound(streams.begin(), streams.end(), unit,
                       [](Index value, const Stream& stream) { return value < stream.first_unit; });
  return std::prev(after)->process;
}

Index WaitGraph::stream_of(const Operation& operation) const {
  const Index process = entries_or_unit_process(operation);
  return processes[process].first_stream + source(operation).stream;
}

Index WaitGraph::entry_of(Index communicator, std::int32_t rank) const {
  const Communicator& of = communicators[communicator];
  if (rank < 0 || static_cast<Index>(rank) >= of.size) return kNoIndex;
  return members[of.first_member + static_cast<Index>(rank)];
}

bool WaitGraph::may_connect(const Operation& operation) const {
  // The host gets out of a call on a communicator that has been aborted.
  if (operation.entry != kNoIndex && entries[operation.entry].aborted) return false;
  const record::Operation& from = source(operation);
  // A pair does at its first message, the simulation at a communicator's first collective. Which
  // collectives of NCCL do is not recorded.
  const bool known = record::is_message(from.call) ||
                     snapshots[entries_or_unit_process(operation)].backend == "sim";
  return !known || from.slot == 0;
}

bool only_may_wait(const record::Thread& thread) {
  using record::Call;
  return thread.call == Call::memcpy_sync || thread.call == Call::device_malloc ||
         thread.call == Call::device_free || thread.call == Call::host_malloc ||
         thread.call == Call::comm_abort || thread.waits == record::Waits::operation;
}

const record::Communicator& WaitGraph::record_of(Index entry) const {
  const Index process = entries[entry].process;
  return snapshots[process].communicators[entry - processes[process].first_entry];
}

std::int32_t WaitGraph::rank_of(Index entry) const { return record_of(entry).rank; }

std::uint64_t WaitGraph::number_of(Index slot) const {
  const Communicator& communicator = communicators[slots[slot].communicator];
  return communicator.base + (slot - communicator.first_slot);
}

const record::Thread& WaitGraph::record_of_thread(Index thread) const {
  const Index process = threads[thread].process;
  return snapshots[process].threads[thread - processes[process].first_thread];
}

}  // namespace gridlock::detect
