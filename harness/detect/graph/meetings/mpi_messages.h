// What MPI messages wait for. They are counted, not paired: receive number n from a sender and tag
// needs n + 1 such messages to be sent, whichever one it gets.
#pragma once

#include <optional>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

class MpiMessages {
 public:
  // If `ledger` is null, only the snapshots are known. All arguments must outlive this.
  MpiMessages(WaitGraph& graph, const Ledger* ledger, Hosts hosts)
      : graph_(graph), ledger_(ledger), hosts_(hosts) {}

  // Has one message in flight need what it waits for, if its communicator is certain.
  void need(WaitGraph::Message& message);

 private:
  using Message = WaitGraph::Message;

  void need_sender(Message& message);
  void need_taker(Message& message);
  void need_any_sender(Message& message);
  bool is_under_way(Index sender, const Message& received) const;
  // Whether all of the member's messages on the communicator are known.
  bool is_certain(Index entry) const;
  bool may_take(Index entry, std::int32_t from, std::int32_t tag) const;
  const Ledger& history();

  WaitGraph& graph_;
  const Ledger* ledger_;
  std::optional<Ledger> shown_;  // if there is no ledger: from the snapshots
  Hosts hosts_;
};

}  // namespace gridlock::detect
