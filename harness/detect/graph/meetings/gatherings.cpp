// A gathering is identified by its communicator, its call, and how many communicator calls came
// before.
#include "harness/detect/graph/meetings/gatherings.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "harness/detect/graph/may_wait.h"

namespace gridlock::detect {

using record::Call;
using record::Waits;

bool is_held_by_graphs(const WaitGraph& graph, Index thread) {
  const Index process = graph.threads[thread].process;
  const record::Thread& record = graph.record_of_thread(thread);
  const record::Snapshot& snapshot = graph.snapshots[process];
  return record.exists && record.waits == Waits::communicator_members &&
         record.communicator < snapshot.communicators.size() &&
         snapshot.communicators[record.communicator].graphs > 0 &&
         ends_communicator(awaited_call(snapshot, record)) && !leaves_it_to_others(graph, thread);
}

bool is_held_by_graphs(const WaitGraph& graph, Index process, Index entry) {
  for (Index thread = graph.processes[process].first_thread;
       thread < graph.processes[process + 1].first_thread; ++thread) {
    const Index of =
        graph.processes[process].first_entry + graph.record_of_thread(thread).communicator;
    if (of == entry && is_held_by_graphs(graph, thread)) return true;
  }
  return false;
}

bool leaves_it_to_others(const WaitGraph& graph, Index thread) {
  const Index process = graph.threads[thread].process;
  const record::Thread& record = graph.record_of_thread(thread);
  if (record.call != Call::comm_destroy && record.call != Call::comm_abort) return false;
  if (record.communicator >= graph.snapshots[process].communicators.size()) return false;
  const Index first = graph.processes[process].first_entry;
  const Index own = first + record.communicator;
  for (Index entry = first; entry < graph.processes[process + 1].first_entry; ++entry) {
    const WaitGraph::Entry& other = graph.entries[entry];
    const bool is_member = other.communicator == graph.entries[own].communicator;
    if (entry != own && is_member && !other.left) return true;
  }
  return false;
}

namespace {

using GatheringOfKey = std::unordered_map<std::uint64_t, Index>;

// Finalize and destroy wait for each other, whichever of them a member makes.
bool closes(Call call) { return call == Call::comm_finalize || call == Call::comm_destroy; }

// MPI_Init and MPI_Finalize wait like a communicator's init and destroy.
Call as_of_a_communicator(Call call) {
  if (call == Call::mpi_init) return Call::comm_init;
  return call == Call::mpi_finalize ? Call::comm_destroy : call;
}

// NCCL's finalize waits for this rank's work on the communicator, not for the members
// (commDestroySync in src/init.cc). Our own waits for both.
bool waits_for_itself(const record::Snapshot& snapshot, const record::Thread& thread) {
  return awaited_call(snapshot, thread) == Call::comm_finalize && !snapshot.own_nccl();
}

void gather(WaitGraph& graph, GatheringOfKey& known, Index thread) {
  WaitGraph::ThreadNode& node = graph.threads[thread];
  const record::Thread& record = graph.record_of_thread(thread);
  const WaitGraph::Process& process = graph.processes[node.process];
  if (record.waits != Waits::communicator_members ||
      record.communicator >= graph.snapshots[node.process].communicators.size()) {
    return;
  }
  if (waits_for_itself(graph.snapshots[node.process], record)) return;
  const Index entry = process.first_entry + record.communicator;
  const Index communicator = graph.entries[entry].communicator;
  const Call call = as_of_a_communicator(awaited_call(graph.snapshots[node.process], record));
  const std::uint64_t calls =
      closes(call) || call == Call::comm_init ? 0 : graph.record_of(entry).calls;
  const auto kind = static_cast<std::uint64_t>(closes(call) ? Call::comm_destroy : call);
  const std::uint64_t key =
      (static_cast<std::uint64_t>(communicator) << 32U) | (calls << 8U) | kind;
  const auto [found, is_new] = known.try_emplace(key, static_cast<Index>(graph.gatherings.size()));
  if (is_new) {
    graph.gatherings.push_back({.communicator = communicator,
                                .call = call,
                                .calls = calls,
                                .closing = closes(call),
                                .missing = {}});
  }
  node.gathering = found->second;
}

// A process beside a rank may be the missing member, if it can still do anything. `all`: even one
// that is not known to belong to a rank.
void add_helpers(WaitGraph& graph, NodeId node, bool all) {
  for (const record::Snapshot& snapshot : graph.snapshots) {
    for (const record::Sleeper& sleeper : snapshot.others) {
      const bool is_rank = sleeper.process == snapshot.key;
      const Index which = graph.stirrer(sleeper.process);
      const bool counts = !is_rank && (all || sleeper.may_join);
      if (counts && which != kNoIndex) graph.edges.add(graph.stirs(which), node);
    }
  }
}

// NCCL's sockets close when a process ends. Members that initialise or split may get an error by
// that, and may not.
bool may_be_told(const WaitGraph& graph, Index process) {
  return graph.parameters.strict && graph.hosts == Hosts::may_act &&
         !graph.snapshots[process].own_nccl();
}

void need_init(WaitGraph& graph, Index index) {
  const WaitGraph::Communicator& communicator =
      graph.communicators[graph.gatherings[index].communicator];
  const NodeId node = graph.gathering(index);
  bool lost = false;
  for (Index member = 0; member < communicator.size; ++member) {
    const Index entry = graph.members[communicator.first_member + member];
    if (entry == kNoIndex) continue;
    if (!graph.has_failed_to_join(entry)) continue;
    if (may_be_told(graph, graph.entries[entry].process)) return;
    lost = true;
  }
  const bool forms = communicator.present == communicator.size && !communicator.sizes_differ;
  if (forms && !lost) return;
  if (lost || communicator.present == communicator.size) {
    graph.never(node);
    return;
  }
  // Members that form one communicator may seem to form two.
  for (Index entry = 0; entry < graph.entries.size(); ++entry) {
    if (graph.record_of(entry).is_counted_otherwise()) return;
  }
  // Any process that can act may be the missing member. Nothing is concluded unless every rank of
  // the job has a snapshot.
  const auto shown = static_cast<std::int64_t>(graph.snapshots.size());
  if (!graph.snapshots.empty() && shown < graph.snapshots.front().world_size) return;
  // More members than ranks: threads of these processes, or processes that were not started here.
  const bool is_open = graph.parameters.outsiders && communicator.size > graph.snapshots.size();
  if (is_open && graph.parameters.strict) return;
  graph.edge(graph.any_host(), node);
  add_helpers(graph, node, is_open);
}

// What a member that is in a call that closes the communicator still has to do there, in our own
// NCCL, before it counts as closed; kNoIndex: nothing.
Index work_before_closing(const WaitGraph& graph, Index entry) {
  const Index process = graph.entries[entry].process;
  const bool closes = graph.record_of(entry).state == record::CommunicatorState::closing;
  const bool is_ours = graph.snapshots[process].own_nccl();
  if (!closes || !is_ours || graph.processes[process].gone) return kNoIndex;
  return graph.entries[entry].last_operation;
}

}  // namespace

bool is_revoked_only(const WaitGraph& graph, Index entry) {
  const record::Communicator& record = graph.record_of(entry);
  return graph.entries[entry].aborted && record.last_call != Call::comm_abort &&
         graph.snapshots[graph.entries[entry].process].own_nccl();
}

namespace {

void need_gathering(WaitGraph& graph, Index index) {
  WaitGraph::Gathering& gathering = graph.gatherings[index];
  if (graph.communicators[gathering.communicator].doubtful) return;
  if (gathering.call == Call::comm_init) return need_init(graph, index);
  // The record does not say which ranks a shrink leaves out, so nothing is proven about one.
  if (gathering.call == Call::comm_shrink) return;
  const WaitGraph::Communicator& communicator = graph.communicators[gathering.communicator];
  for (Index member = 0; member < communicator.size; ++member) {
    const Index entry = graph.members[communicator.first_member + member];
    if (entry == kNoIndex) continue;
    const WaitGraph::Process& process = graph.processes[graph.entries[entry].process];
    const record::Communicator& record = graph.record_of(entry);
    if (!process.trusted) continue;
    bool there = graph.entries[entry].left;
    if (gathering.closing && is_revoked_only(graph, entry)) there = false;
    bool can_come = !process.gone;
    if (gathering.call == Call::comm_abort) {
      there = there || process.gone;  // a process that is gone need not abort
    } else if (!gathering.closing) {
      there = record.calls > gathering.calls ||
              (record.calls == gathering.calls && record.last_call == gathering.call);
      // A communicator that was revoked may still be split.
      const bool is_revoked = graph.entries[entry].aborted && record.last_call != Call::comm_abort;
      can_come =
          can_come && record.calls < gathering.calls && (!graph.entries[entry].left || is_revoked);
    }
    const Index owner = graph.entries[entry].process;
    if (there && is_held_by_graphs(graph, owner, entry)) {
      gathering.missing.push_back(entry);
      graph.edge(graph.host(owner), graph.gathering(index));
      continue;
    }
    const Index held = there && gathering.closing ? work_before_closing(graph, entry) : kNoIndex;
    if (held != kNoIndex) {
      gathering.missing.push_back(entry);
      graph.edge(graph.ends(graph.operations[held]), graph.gathering(index));
    }
    if (there) continue;
    if (process.gone && gathering.call == Call::comm_split &&
        may_be_told(graph, graph.entries[entry].process)) {
      continue;
    }
    gathering.missing.push_back(entry);
    if (can_come) {
      graph.edge(graph.host(graph.entries[entry].process), graph.gathering(index));
    } else {
      graph.never(graph.gathering(index));
    }
  }
}

// In a stall: a call that ends a communicator has not ended, though nothing recorded holds it. Nor
// has a group, of which only the first such call is recorded.
void hold_inside_nccl(WaitGraph& graph) {
  for (Index thread = 0; thread < graph.threads.size(); ++thread) {
    const WaitGraph::ThreadNode& node = graph.threads[thread];
    if (!node.blocked || !may_stay_inside(graph.record_of_thread(thread))) continue;
    const bool gathers = node.gathering != kNoIndex;
    const bool all_came = !gathers || graph.need[graph.gathering(node.gathering)] == 0;
    const std::uint32_t own = gathers ? 1 : 0;
    if (all_came && graph.need[graph.thread(thread)] == own) graph.never(graph.thread(thread));
  }
}

}  // namespace

void find_gatherings(WaitGraph& graph) {
  GatheringOfKey known;
  for (Index thread = 0; thread < graph.threads.size(); ++thread) {
    if (graph.threads[thread].blocked) gather(graph, known, thread);
  }
}

void need_gatherings(WaitGraph& graph) {
  for (Index index = 0; index < graph.gatherings.size(); ++index) need_gathering(graph, index);
  if (graph.hosts == Hosts::frozen) hold_inside_nccl(graph);
}

bool is_held_by_own_work(const WaitGraph& graph, Index entry) {
  const Index held = work_before_closing(graph, entry);
  return held != kNoIndex && !graph.can(graph.ends(graph.operations[held]));
}

void wait_for_gathering(WaitGraph& graph, Index thread) {
  const WaitGraph::ThreadNode& node = graph.threads[thread];
  const record::Thread& record = graph.record_of_thread(thread);
  const record::Snapshot& snapshot = graph.snapshots[node.process];
  if (is_held_by_graphs(graph, thread)) graph.edge(graph.host(node.process), graph.thread(thread));
  if (node.gathering != kNoIndex) {
    graph.edge(graph.gathering(node.gathering), graph.thread(thread));
  } else if (!waits_for_itself(snapshot, record)) {
    return;
  }
  const Index entry = graph.processes[node.process].first_entry + record.communicator;
  const Index last = graph.entries[entry].last_operation;
  if (closes(as_of_a_communicator(awaited_call(snapshot, record))) && last != kNoIndex) {
    graph.edge(graph.ends(graph.operations[last]), graph.thread(thread));
  }
}

}  // namespace gridlock::detect
