// The steps of building a wait-for graph, and lookups in it.
#include "harness/detect/graph/wait_graph.h"

#include <algorithm>

#include "harness/detect/graph/actors/failures.h"
#include "harness/detect/graph/actors/hosts.h"
#include "harness/detect/graph/actors/sleepers.h"
#include "harness/detect/graph/actors/threads.h"
#include "harness/detect/graph/actors/unseen.h"
#include "harness/detect/graph/actors/wakers.h"
#include "harness/detect/graph/meetings/aborts.h"
#include "harness/detect/graph/meetings/announced.h"
#include "harness/detect/graph/meetings/gatherings.h"
#include "harness/detect/graph/meetings/messages.h"
#include "harness/detect/graph/meetings/orders.h"
#include "harness/detect/graph/meetings/parts.h"
#include "harness/detect/graph/meetings/slots.h"
#include "harness/detect/graph/survey.h"
#include "harness/detect/graph/units.h"
#include "harness/detect/graph/unsent.h"

namespace gridlock::detect {

// Only two passes walk over all operations, for speed: the survey and need_collectives.
void WaitGraph::build(std::span<const record::Snapshot> of, const Parameters& with,
                      const Ledger* ledger, Hosts as, std::span<const Index> unseen) {
  snapshots = of;
  parameters = with;
  hosts = as;
  clear();
  const Survey found = survey(*this);
  add_members(*this);
  add_slots(*this, found.windows);
  find_gatherings(*this);
  find_stirrers(*this, hosts);
  const Index first_abort = add_aborts(*this);
  number_nodes();
  need_units(*this, hosts);
  for (const Index stream : found.overlapping) unorder_overlapping(*this, stream);
  need_announced(*this);
  need_collectives(*this, hosts);
  need_slots(*this, ledger, found.communicator_of_id);
  if (parameters.unsent) lose_unsent(*this);
  if (parameters.cut_off) lose_all(*this);
  need_messages(*this, ledger, hosts);
  need_hosts(*this, hosts);
  let_aborts_free(*this, first_abort);
  order_communicators(*this, found.orders);
  order_events(*this, found.event_waits);
  for (Index process = 0; process < snapshots.size(); ++process) {
    order_legacy(*this, process);
    need_threads(*this, ledger, hosts, process);
    let_kernels_fail(*this, process);
  }
  need_gatherings(*this);
  need_parts(*this);
  need_stirrers(*this, hosts);
  for (const Index process : unseen) let_unseen_pass(*this, process);
  edges.sort(nodes());
  propagate();
}

void WaitGraph::clear() {
  processes.clear();
  streams.clear();
  threads.clear();
  announced.clear();
  entries.clear();
  communicators.clear();
  members.clear();
  first_operation.clear();
  operations.clear();
  parts.clear();
  grouped.clear();
  messages.clear();
  slots.clear();  // slot_calls are overwritten
  gatherings.clear();
  alternatives = 0;
  edges.clear();
}

void WaitGraph::number_nodes() {
  units = static_cast<Index>(first_operation.size());
  slot_count = static_cast<Index>(slots.size());
  slots_at_ = 2 * units;  // each is reached and passed
  threads_at_ = slots_at_ + 4 * slot_count;
  hosts_at_ = threads_at_ + static_cast<Index>(threads.size());
  futures_at_ = hosts_at_ + static_cast<Index>(snapshots.size());
  gatherings_at_ = futures_at_ + static_cast<Index>(entries.size());
  grouped_at_ = any_host() + 1;
  parts_at_ = grouped_at_ + 2 * static_cast<Index>(grouped.size());
  need.assign(nodes(), 0);
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
  // A pair connects at its first message; the simulation connects at a communicator's first
  // collective. Which of NCCL's collectives connect is not recorded.
  const bool known =
      record::is_message(from.call) || snapshots[entries_or_unit_process(operation)].own_nccl();
  return !known || from.slot == 0;
}

Index WaitGraph::stirrer(record::ProcessKey key) const {
  const auto found = stirrer_of_key.find(key);
  return found == stirrer_of_key.end() ? kNoIndex : found->second;
}

bool WaitGraph::is_copy(const Operation& operation) const {
  return operation.entry != kNoIndex && operation.slot_number != kNoIndex &&
         !record::is_mpi(operation.call) &&
         communicators[entries[operation.entry].communicator].size == 1 &&
         source(operation).graph == record::Graph::none;
}

bool WaitGraph::has_others_awake(Index process) const {
  const Index which = stirrer(snapshots[process].key);
  return which == kNoIndex ? snapshots[process].other_threads > 0 : can(stirs(which));
}

bool WaitGraph::stirs_or_is_unknown(record::ProcessKey key) const {
  const Index which = stirrer(key);
  return which == kNoIndex || can(stirs(which));
}

const record::Communicator& WaitGraph::record_of(Index entry) const {
  const Index process = entries[entry].process;
  return snapshots[process].communicators[entry - processes[process].first_entry];
}

bool WaitGraph::has_failed_to_join(Index entry) const {
  const record::Communicator& record = record_of(entry);
  // A refused initialization may be repeated, but not by a process that is gone. Our own NCCL
  // refuses before anybody counts on the member.
  const bool was_refused =
      record.init_has_failed() && !snapshots[entries[entry].process].own_nccl();
  const bool was_joining = record.state == record::CommunicatorState::initialising || was_refused;
  return (processes[entries[entry].process].gone && was_joining) ||
         (entries[entry].aborted && hosts == Hosts::frozen);
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
