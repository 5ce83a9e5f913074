// What host threads wait for in recorded calls.
#include <algorithm>

#include "harness/detect/graph/builder.h"

namespace gridlock::detect {

using record::Call;
using record::Waits;

namespace {

// The communicator calls that end it wait for each other, whichever of them a member makes.
bool closes(Call call) { return call == Call::comm_finalize || call == Call::comm_destroy; }

// MPI's beginning and end wait as a communicator's do.
Call as_of_a_communicator(Call call) {
  if (call == Call::mpi_init) return Call::comm_init;
  return call == Call::mpi_finalize ? Call::comm_destroy : call;
}

}  // namespace

bool GraphBuilder::may_only(const record::Snapshot& snapshot, const record::Thread& thread) const {
  // An abort is local; but NCCL's may wait for those of its node before it frees their memory.
  if (thread.call == Call::comm_abort && snapshot.backend != "cuda") return true;
  const bool may = only_may_wait(thread);
  const bool mpi_may = thread.call == Call::mpi_init || thread.call == Call::mpi_finalize;
  return ((may && snapshot.backend == "cuda") || mpi_may) &&
         g_.parameters.now_ns - thread.since_ns < g_.parameters.may_wait_ns;
}

void GraphBuilder::need_threads(Index process) {
  const record::Snapshot& snapshot = g_.snapshots[process];
  const WaitGraph::Process& of = g_.processes[process];
  for (Index index = 0; index < snapshot.threads.size(); ++index) {
    const record::Thread& record = snapshot.threads[index];
    const Index thread = of.first_thread + index;
    WaitGraph::ThreadNode& node = g_.threads[thread];
    if (!record.exists || of.gone || !of.trusted) {
      never(g_.thread(thread));
      continue;
    }
    if (!node.blocked || may_only(snapshot, record)) {
      node.blocked = false;
      if (hosts_ == Hosts::frozen) never(g_.thread(thread));
      continue;
    }
    switch (record.waits) {
      case Waits::nothing:
        break;
      case Waits::device:
        wait_for_device(thread, false);
        break;
      case Waits::legacy_stream:
        wait_for_device(thread, true);
        break;
      case Waits::stream:
        if (record.stream < snapshot.streams.size()) {
          wait_for_unit(unit_up_to(of.first_stream + record.stream, record.position),
                        g_.thread(thread));
        }
        break;
      case Waits::communicator_members:
        if (node.gathering != kNoIndex) {
          edge(g_.gathering(node.gathering), g_.thread(thread));
          const Index last = g_.entries[of.first_entry + record.communicator].last_operation;
          if (closes(as_of_a_communicator(record.call)) && last != kNoIndex) {
            wait_for_unit(g_.operations[last].unit, g_.thread(thread));
          }
        }
        break;
      case Waits::operation:
        connect(thread);
        break;
      case Waits::all_requests:
      case Waits::any_request:
        wait_for_requests(thread);
        break;
    }
  }
}

void GraphBuilder::wait_for_device(Index thread, bool legacy_only) {
  const Index process = g_.threads[thread].process;
  const record::Thread& record = g_.record_of_thread(thread);
  const auto& streams = g_.snapshots[process].streams;
  for (Index stream = 0; stream < streams.size(); ++stream) {
    if (streams[stream].device != record.device) continue;
    if (legacy_only && streams[stream].non_blocking) continue;
    // What other threads enqueue after the call is not waited for.
    const std::int64_t end = record.since_ns + 1;
    wait_for_unit(unit_before(g_.processes[process].first_stream + stream, end), g_.thread(thread));
  }
}

void GraphBuilder::connect(Index thread) {
  // The host makes the connections of an operation before it enqueues it: that needs the calls of
  // the others, but not their streams.
  WaitGraph::ThreadNode& node = g_.threads[thread];
  const record::Thread& record = g_.record_of_thread(thread);
  const WaitGraph::Process& process = g_.processes[node.process];
  if (record.stream >= g_.snapshots[node.process].streams.size()) return;
  const Index stream = process.first_stream + record.stream;
  const Index unit = unit_up_to(stream, record.position);
  if (unit == kNoIndex ||
      record.position != g_.streams[stream].completed + 1 + unit - g_.streams[stream].first_unit) {
    return;  // the operation is not in the record yet
  }
  node.lazy_unit = unit;
  edge(g_.thread(thread), g_.reach(unit));
  for (Index at = g_.first_operation[unit]; at != kNoIndex; at = g_.operations[at].next) {
    const WaitGraph::Operation& operation = g_.operations[at];
    if (!g_.may_connect(operation)) continue;
    if (const Index slot = g_.slot_of(operation); slot != kNoIndex) {
      edge(g_.called(slot), g_.thread(thread));
    } else if (record::is_message(operation.call)) {
      connect_pair(thread, operation);
    }
  }
}

void GraphBuilder::connect_pair(Index thread, const WaitGraph::Operation& operation) {
  const std::int32_t to = g_.source(operation).peer;
  const Index peer = g_.entry_of(g_.entries[operation.entry].communicator, to);
  // Nobody connects to itself.
  if (peer == kNoIndex || peer == operation.entry) return;
  const bool sends = operation.call == Call::send;
  const std::int32_t own = g_.rank_of(operation.entry);
  if (find(peer, own, 0, !sends).kind != Arrival::not_called) return;
  const Index message = find(operation.entry, to, 0, sends).message;
  if (message == kNoIndex) return;
  g_.messages[message].connects_to = peer;
  edge(g_.host(g_.entries[peer].process), g_.thread(thread));
  if (g_.entries[peer].left) never(g_.thread(thread));
}

void GraphBuilder::gather(Index thread) {
  WaitGraph::ThreadNode& node = g_.threads[thread];
  const record::Thread& record = g_.record_of_thread(thread);
  const WaitGraph::Process& process = g_.processes[node.process];
  if (record.waits != Waits::communicator_members ||
      record.communicator >= g_.snapshots[node.process].communicators.size()) {
    return;
  }
  const Index entry = process.first_entry + record.communicator;
  const Index communicator = g_.entries[entry].communicator;
  // The end of a group waits in the calls that the group held back.
  const Call call = as_of_a_communicator(
      record.call == Call::group_end ? g_.record_of(entry).last_call : record.call);
  const std::uint64_t calls =
      closes(call) || call == Call::comm_init ? 0 : g_.record_of(entry).calls;
  const auto kind = static_cast<std::uint64_t>(closes(call) ? Call::comm_destroy : call);
  const std::uint64_t key =
      (static_cast<std::uint64_t>(communicator) << 32U) | (calls << 8U) | kind;
  const auto [found, is_new] =
      gathering_of_key_.try_emplace(key, static_cast<Index>(g_.gatherings.size()));
  if (is_new) {
    g_.gatherings.push_back({.communicator = communicator,
                             .call = call,
                             .calls = calls,
                             .closing = closes(call),
                             .missing = {}});
  }
  node.gathering = found->second;
}

void GraphBuilder::need_gathering(Index index) {
  WaitGraph::Gathering& gathering = g_.gatherings[index];
  if (gathering.call == Call::comm_init) return need_init(index);
  // Who is left out of a shrink is not recorded, so nothing is proven about one.
  if (gathering.call == Call::comm_shrink) return;
  const WaitGraph::Communicator& communicator = g_.communicators[gathering.communicator];
  for (Index member = 0; member < communicator.size; ++member) {
    const Index entry = g_.members[communicator.first_member + member];
    if (entry == kNoIndex) continue;
    const WaitGraph::Process& process = g_.processes[g_.entries[entry].process];
    const record::Communicator& record = g_.record_of(entry);
    if (!process.trusted) continue;
    bool there = g_.entries[entry].left;
    bool can_come = !process.gone;
    if (gathering.call == Call::comm_abort) {
      there = there || process.gone;  // only those who are active must abort
    } else if (!gathering.closing) {
      there = record.calls > gathering.calls ||
              (record.calls == gathering.calls && record.last_call == gathering.call);
      can_come = can_come && record.calls < gathering.calls && !g_.entries[entry].left;
    }
    if (there) continue;
    gathering.missing.push_back(entry);
    if (can_come) {
      edge(g_.host(g_.entries[entry].process), g_.gathering(index));
    } else {
      never(g_.gathering(index));
    }
  }
}

void GraphBuilder::need_init(Index index) {
  const WaitGraph::Communicator& communicator = g_.communicators[g_.gatherings[index].communicator];
  const NodeId node = g_.gathering(index);
  bool lost = false;  // a member is gone that had not finished
  for (Index member = 0; member < communicator.size; ++member) {
    const Index entry = g_.members[communicator.first_member + member];
    if (entry == kNoIndex) continue;
    lost = lost || (g_.processes[g_.entries[entry].process].gone &&
                    g_.record_of(entry).state == record::CommunicatorState::initialising);
  }
  const bool forms = communicator.present == communicator.size && !communicator.sizes_differ;
  if (forms && !lost) return;
  if (lost || communicator.present == communicator.size) {
    never(node);
    return;
  }
  // Which process should come is not known, so any that can act could; all of them are only there
  // when every rank of the job has a snapshot.
  const auto shown = static_cast<std::int64_t>(g_.snapshots.size());
  if (!g_.snapshots.empty() && shown < g_.snapshots.front().world_size) return;
  edge(g_.any_host(), node);
}

}  // namespace gridlock::detect
