// How a wait-for graph is put together: first the nodes and what the arrays imply, then the needs
// and the edges that they do not. Internal to the detector.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/detect/graph/slot_window.h"
#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

class GraphBuilder {
 public:
  GraphBuilder(WaitGraph& graph, const Ledger* ledger, Hosts hosts)
      : g_(graph), ledger_(ledger), hosts_(hosts) {}
  void build(std::span<const Index> unseen);

 private:
  using Message = WaitGraph::Message;
  // What is known of one side of a message.
  struct Arrival {
    enum Kind : std::uint8_t { past, in_flight, not_called } kind = past;
    Index message = kNoIndex;
  };

  // graph_nodes.cpp
  void clear();
  void add_process(Index process);
  void add_communicators(Index process);
  void number_nodes();
  // graph_operations.cpp
  void add_streams(Index process);
  void add_operations(Index process);
  void describe_collective(const record::Operation& record, const record::Communicator& own,
                           WaitGraph::Operation& operation);
  void add_message(const record::Operation& operation, Index entry, Index in_flight);
  // graph_slots.cpp
  void add_members();
  void add_slots();
  // graph_needs.cpp
  void need_units();
  void let_unseen_pass(Index process);
  void need_operations();
  void need_slots();
  void need_root(Index slot);
  void need_misfits(Index slot);
  Index operation_at(Index slot, Index entry) const;  // in flight; kNoIndex: none
  // Whether the call that a member has behind it fitted `shape`, as far as is known.
  bool fits_past(Index slot, Index entry, const Shape& shape) const;
  void need_hosts();
  // graph_orders.cpp
  void find_orders(Index process);  // of the process that was added last
  void order_communicators();
  void order_legacy(Index process);
  void order_events();
  // graph_parts.cpp
  void find_parts(Index process);  // of the process that was added last
  Index part_of_leader(Index process, std::uint64_t leader);
  void join(Index part, Index operation);
  void need_parts();
  void order_part(Index part);
  void order_parts_of_a_group(Index part);
  void let_pass(Index part);
  // graph_messages.cpp
  void need_messages();
  struct Sent {
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
    Index message = kNoIndex;  // kNoIndex: no longer shown
  };
  std::vector<Sent> sent_before(Index first, Index peer_entry) const;
  void need_sends(Index first, Index end);
  Arrival find(Index entry, std::int32_t peer, std::uint64_t number, bool sends) const;
  void await(Message& message, Arrival arrival, Index peer_entry);
  // graph_mpi.cpp
  void find_awaited(Index process);  // of the process that was added last
  void need_mpi_message(Message& message);
  void need_sender(Message& message);
  bool is_under_way(Index sender, const Message& received) const;
  void need_taker(Message& message);
  void need_any_sender(Message& message);
  // Whether all of the member's messages on the communicator are known.
  bool is_certain(Index entry) const;
  bool may_take(Index entry, std::int32_t from, std::int32_t tag) const;
  const Ledger& history();
  void wait_for_requests(Index thread);
  // graph_threads.cpp
  void need_threads(Index process);
  void wait_for_device(Index thread, bool legacy_only);
  void connect(Index thread);
  void connect_pair(Index thread, const WaitGraph::Operation& operation);
  void gather(Index thread);
  void need_gathering(Index gathering);
  void need_init(Index gathering);
  bool may_only(const record::Snapshot& snapshot, const record::Thread& thread) const;

  void edge(NodeId from, NodeId to) {
    g_.edges_.add(from, to);
    ++g_.need[to];
  }
  void never(NodeId node) { g_.need[node] += kNever; }
  // The last unit in flight on `stream` up to `position`; kNoIndex: all of that is past.
  Index unit_up_to(Index stream, std::uint64_t position) const;
  // The last unit in flight on `stream` that was enqueued before `time_ns`.
  Index unit_before(Index stream, std::int64_t time_ns) const;
  std::int64_t time_of(Index process, Index unit) const;
  void wait_for_unit(Index unit, NodeId node) {
    if (unit != kNoIndex) edge(g_.pass(unit), node);
  }

  WaitGraph& g_;
  const Ledger* ledger_;
  std::optional<Ledger> shown_;  // where there is no ledger: what the snapshots show
  Hosts hosts_;
  std::unordered_map<std::uint64_t, Index> communicator_of_id_;
  std::vector<SlotWindow> windows_;  // by communicator
  std::unordered_map<std::uint64_t, Index> gathering_of_key_;
  std::unordered_map<std::uint64_t, Index> part_of_leader_;  // of one process
  std::vector<Index> slot_end_;                  // by slot: where its next operation is listed
  std::vector<Index> event_waits_;               // operations
  std::vector<std::pair<Index, Index>> orders_;  // operations of which one holds the other back
};

}  // namespace gridlock::detect
