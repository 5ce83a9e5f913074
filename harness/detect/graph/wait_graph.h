// The wait-for graph of one moment, in flat arrays, and what can still move in it
// (docs/detection.md).
//
// Everything is a node with a count of what it still needs (`need`). A node that can happen fires:
// it takes one off the need of every node that depends on it. A node whose need never reaches zero
// can never happen. Waits are AND, except for nodes that need one thing and ignore the rest: a
// process acts if any thread does, and some MPI waits accept any of several things.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/detect/calls/ledger.h"
#include "harness/detect/graph/actors/shared_hosts.h"
#include "harness/detect/graph/edge_list.h"
#include "harness/detect/graph/parameters.h"
#include "harness/record/snapshot.h"

namespace gridlock::detect {

using NodeId = std::uint32_t;
using Index = std::uint32_t;
constexpr Index kNoIndex = 0xffffffff;
constexpr std::uint32_t kNever = 1U << 30U;  // set in a need that can never be met

// What threads outside recorded calls are assumed to do.
enum class Hosts : std::uint8_t {
  may_act,  // anything: for proofs
  frozen,   // nothing, nor does unrecorded work: to see who waits for whom in a job at rest
};

struct WaitGraph {
  // One process, and where its parts begin in the arrays below; they end where the next's begin.
  struct Process {
    Index first_stream = 0;
    Index first_thread = 0;
    Index first_entry = 0;
    Index first_operation = 0;
    Index first_message = 0;
    bool gone = false;          // exited or killed
    bool trusted = true;        // the box is sound and complete
    bool may_have_open = true;  // operations that are announced and may still be refused
  };
  // A stream's units in flight. All operations of one position are one unit.
  struct Stream {
    Index process = 0;
    Index first_unit = 0;
    Index units = 0;              // one more follows them as a stop
    std::uint64_t completed = 0;  // position before the first unit
    bool mpi = false;             // see record::Stream
    bool unordered = false;       // calls of two threads overlapped: see unorder_overlapping()
    // For MPI: since when a thread has waited for this stream; kNobodyWaits: no thread waits.
    static constexpr std::int64_t kNobodyWaits = -1;
    std::int64_t awaited_ns = kNobodyWaits;
  };
  struct Operation {
    Index source = 0;          // index in Snapshot::operations
    Index grouped = kNoIndex;  // index in `grouped`; kNoIndex: called alone
    Index unit = 0;
    Index next = kNoIndex;         // of the same unit
    Index slot_number = kNoIndex;  // see slot_of(); kNoIndex: not a collective
    Index entry = kNoIndex;        // index in `entries`; kNoIndex: not a communication
    record::Call call = record::Call::none;
    MustArrive wants = MustArrive::nobody;  // of a collective
  };
  // What one group does on one communicator, on any number of streams. It begins when all of these
  // streams reach it, and holds all of them until it is done.
  struct Part {
    std::uint64_t leader = 0;  // index of its first operation in the record
    bool past = false;         // the leader is past, so the whole part is
    std::vector<Index> operations;
  };
  // One operation of a part.
  struct Grouped {
    Index operation = 0;
    Index part = 0;
  };
  // A message operation that the snapshot shows, in flight or past. Sorted within its process by
  // (entry, sends, peer, number). For MPI, only those in flight.
  struct Message {
    Index entry = 0;
    std::int32_t peer = 0;
    std::int32_t tag = 0;
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
    Index operation = kNoIndex;  // kNoIndex: past
    bool sends = false;
    Index awaits = kNoIndex;        // index in `messages` of what it needs; kNoIndex: not in flight
    Index awaits_entry = kNoIndex;  // the entry that must still call what it needs
    Index connects_to = kNoIndex;   // the entry with which the host waits to connect
    bool misfit = false;            // the two sides differ in size: then it needs one thing more
    Index alternatives = kNoIndex;  // which node any of several senders fires
  };
  // One member of one communicator.
  struct Entry {
    Index process = 0;
    Index communicator = 0;
    Index attached = kNoIndex;        // first slot in flight that this member has not called
    Index last_operation = kNoIndex;  // its last one in flight on the communicator
    std::uint64_t next_slot = 0;      // collectives it has called
    bool left = false;                // closed or aborted it: will never call again
    bool aborted = false;             // its operations in flight there end, done or not
  };
  struct Communicator {
    std::uint64_t id = 0;
    Index first_member = 0;  // in `members`
    Index size = 0;
    Index first_slot = 0;    // in `slots`
    Index slots = 0;         // one more follows them as a stop
    std::uint64_t base = 0;  // number of the first slot in flight
    bool sizes_differ = false;
    bool duplicate = false;  // two members claim one rank
    // Two members claim one rank and the communicator is finished: several were made with one
    // NCCL_COMM_ID, and nothing tells which member belongs to which.
    bool doubtful = false;
    Index present = 0;  // distinct ranks
  };
  struct Slot {
    Index communicator = 0;
    Index first_call = 0;  // in `slot_calls`
    Index calls = 0;
    Shape shape{};  // of the first one
    Difference difference = Difference::none;
  };
  // Members that wait for each other in a communicator call (init, split, destroy …).
  struct Gathering {
    Index communicator = 0;
    record::Call call = record::Call::none;
    std::uint64_t calls = 0;
    bool closing = false;
    std::vector<Index> missing;  // entries that have not made the call; not for init
  };
  // An operation at a slot, and the node that is released when those it wants have arrived.
  struct SlotCall {
    Index operation = 0;
    NodeId completes = 0;
    MustArrive wants = MustArrive::nobody;
  };
  struct ThreadNode {
    Index process = 0;
    Index gathering = kNoIndex;  // in which it waits
    bool connects = false;       // makes connections for what it has announced
    bool blocked = false;        // in a recorded wait
  };

  // What is announced on a stream, is not launched, and still counts: a thread makes connections
  // for it, NCCL will launch it by itself, or the thread waits for it. It holds back nothing on the
  // stream.
  struct Announced {
    Index stream = 0;
    Index unit = 0;            // a stop follows each
    Index thread = kNoIndex;   // of `threads`; kNoIndex: NCCL launches it
    Index entry = kNoIndex;    // then: the communicator
    std::uint64_t called = 0;  // launches before the call
  };

  std::span<const record::Snapshot> snapshots;
  Parameters parameters;
  Hosts hosts = Hosts::may_act;
  std::vector<Process> processes;  // one more as a stop
  std::vector<Stream> streams;
  std::vector<ThreadNode> threads;
  std::vector<Announced> announced;
  std::vector<Entry> entries;
  std::vector<Communicator> communicators;
  std::vector<Index> members;          // entry of each rank of a communicator; kNoIndex: not shown
  std::vector<Index> first_operation;  // of a unit
  std::vector<Operation> operations;
  std::vector<Part> parts;
  std::vector<Grouped> grouped;  // operations that belong to parts
  std::vector<Message> messages;
  std::vector<Slot> slots;
  std::vector<SlotCall> slot_calls;  // by slot, with gaps between them
  // By unit, if its only operation was called alone: its slot, or kNoIndex if it has none.
  // kSeveral: look at the operations.
  static constexpr Index kSeveral = kNoIndex - 1;
  std::vector<Index> lone_slot;
  std::vector<Gathering> gatherings;
  Index alternatives = 0;  // nodes that need one of several things
  // Processes whose threads were looked at in the kernel, and one entry for all processes of a
  // host.
  std::unordered_map<record::ProcessKey, Index> stirrer_of_key;
  std::unordered_set<record::ProcessKey> launchers;  // above a rank
  std::unordered_set<record::ProcessKey> sidecars;   // neither above a rank nor below one
  // Who holds which end of the job's connections between hosts.
  std::unordered_multimap<std::string_view, record::ProcessKey> holders_of_far_ends;
  Index stirrer(record::ProcessKey key) const;  // kNoIndex: not looked at
  SharedHosts shared_hosts;
  std::vector<std::uint32_t> need;
  std::vector<NodeId> unprompted;  // threads and stirrers that needed nothing
  EdgeList edges;                  // those that no array above implies

  // Node numbers.
  Index units = 0;
  Index slot_count = 0;
  NodeId reach(Index unit) const { return 2 * unit; }           // its stream reaches it
  NodeId pass(Index unit) const { return 2 * unit + 1; }        // and past it
  NodeId called(Index slot) const { return slots_at_ + slot; }  // all members have called it
  NodeId coming(Index slot) const { return slots_at_ + slot_count + slot; }  // all can get there
  NodeId arrived(Index slot) const { return slots_at_ + 2 * slot_count + slot; }
  NodeId root(Index slot) const { return slots_at_ + 3 * slot_count + slot; }  // the root is there
  NodeId thread(Index thread) const { return threads_at_ + thread; }           // it can act
  NodeId host(Index process) const { return hosts_at_ + process; }  // one of its threads can
  NodeId future(Index entry) const { return futures_at_ + entry; }  // the member can call and come
  NodeId gathering(Index gathering) const { return gatherings_at_ + gathering; }
  NodeId any_host() const { return gatherings_at_ + static_cast<Index>(gatherings.size()); }
  // An operation arrives, and has what it needs. If it was called alone, its unit's nodes stand for
  // both.
  NodeId come(const Operation& operation) const {
    return is_alone(operation) ? reach(operation.unit) : grouped_at_ + 2 * operation.grouped;
  }
  NodeId complete(const Operation& operation) const {
    return is_alone(operation) ? pass(operation.unit) : grouped_at_ + 2 * operation.grouped + 1;
  }
  NodeId begin(Index part) const { return parts_at_ + 2 * part; }
  NodeId done(Index part) const { return parts_at_ + 2 * part + 1; }
  // All that its group does on its communicator is done.
  NodeId ends(const Operation& operation) const {
    return is_alone(operation) ? pass(operation.unit) : done(part_of(operation));
  }
  NodeId any(Index which) const {  // of `alternatives`
    return parts_at_ + 2 * static_cast<Index>(parts.size()) + which;
  }
  NodeId stirs(Index which) const { return any(alternatives) + which; }  // it can wake others
  // The same, not counting threads that wake up by the clock (Sleep::by_clock) and are assumed to
  // wake nobody who is idle.
  NodeId works(Index which) const { return stirs(stirrers() + which); }
  NodeId nodes() const { return works(stirrers()); }
  Index stirrers() const { return static_cast<Index>(stirrer_of_key.size()); }

  bool can(NodeId node) const { return need[node] == 0; }
  std::uint64_t buffer_bytes(Index process) const {
    return known_buffer_bytes(process).value_or(kAssumedBuffer);
  }
  std::optional<std::uint64_t> known_buffer_bytes(Index process) const {
    const std::uint64_t said = snapshots[process].buffer_bytes;
    return said == record::kUnknownSize ? parameters.buffer_bytes : said;
  }

  static bool is_alone(const Operation& operation) { return operation.grouped == kNoIndex; }
  Index part_of(const Operation& operation) const {  // kNoIndex: called alone
    return is_alone(operation) ? kNoIndex : grouped[operation.grouped].part;
  }
  // A collective of one rank is a copy: NCCL enqueues it at its call, in a group too, and nothing
  // orders it but its own stream.
  //   Source  NCCL 2.28, src/enqueue.cc (ncclLaunchOneRank)
  bool is_copy(const Operation& operation) const;
  // Index in `slots`; kNoIndex: not a collective, or nothing is known of its communicator. An
  // operation stores only the low half of the slot number, because the index is not known during
  // the survey's one walk.
  Index slot_of(const Operation& operation) const {
    if (operation.slot_number == kNoIndex) return kNoIndex;
    const Communicator& of = communicators[entries[operation.entry].communicator];
    if (of.slots == 0) return kNoIndex;
    return of.first_slot + (operation.slot_number - static_cast<Index>(of.base));
  }
  std::span<const SlotCall> calls_at(Index slot) const {
    return std::span(slot_calls).subspan(slots[slot].first_call, slots[slot].calls);
  }
  Index stream_of(const Operation& operation) const;  // index in `streams`
  Index process_of_unit(Index unit) const;
  const record::Operation& source(const Operation& operation) const {
    return snapshots[entries_or_unit_process(operation)].operations[operation.source];
  }
  Index entries_or_unit_process(const Operation& operation) const {
    return operation.entry != kNoIndex ? entries[operation.entry].process
                                       : process_of_unit(operation.unit);
  }
  // Whether the host that calls the operation may have to connect to others first.
  bool may_connect(const Operation& operation) const;
  Index entry_of(Index communicator, std::int32_t rank) const;
  std::int32_t rank_of(Index entry) const;  // its rank in the communicator
  // Whether the communicator never forms because of this member: it is gone, or its init has failed
  // (which the others may still learn, so that proves nothing).
  bool has_failed_to_join(Index entry) const;
  const record::Communicator& record_of(Index entry) const;
  std::uint64_t number_of(Index slot) const;
  const record::Thread& record_of_thread(Index thread) const;
  // Whether threads of the process that made no recorded call may be able to act.
  bool has_others_awake(Index process) const;
  bool stirs_or_is_unknown(record::ProcessKey key) const;

  // Builds the graph and lets everything happen that can. `ledger` (may be null) knows what the
  // snapshots no longer show. For processes in `unseen`, polled streams (all streams if no CUDA
  // call is seen) may be past everything that they show in flight. The snapshots must outlive the
  // graph's use. Keeps its memory between calls.
  void build(std::span<const record::Snapshot> of, const Parameters& with, const Ledger* ledger,
             Hosts as, std::span<const Index> unseen = {});

  // The steps of build(), each in files of its own, set needs and edges with these functions once
  // the nodes have numbers.
  void edge(NodeId from, NodeId to) {
    edges.add(from, to);
    ++need[to];
  }
  void never(NodeId node) { need[node] |= kNever; }
  void wait_for(Index unit, NodeId node) {  // kNoIndex: it is past
    if (unit != kNoIndex) edge(pass(unit), node);
  }

 private:
  Index slots_at_ = 0;
  Index threads_at_ = 0;
  Index hosts_at_ = 0;
  Index futures_at_ = 0;
  Index gatherings_at_ = 0;
  Index grouped_at_ = 0;
  Index parts_at_ = 0;
  std::vector<NodeId> stack_;

  void clear();
  void number_nodes();
  void propagate();
  void arrive(const Operation& operation);
  void reached(Index unit);
  void fire(NodeId node);
  void let_abort(Index process);
  void release(NodeId node) {
    if (need[node] != 0 && --need[node] == 0) stack_.push_back(node);
  }
};

}  // namespace gridlock::detect
