// Counting needs no order between threads.
#include "harness/detect/graph/meetings/mpi_messages.h"

#include <algorithm>

namespace gridlock::detect {

using record::Call;

const Ledger& MpiMessages::history() {
  if (ledger_ != nullptr) return *ledger_;
  if (!shown_) {
    shown_.emplace();
    shown_->add(graph_.snapshots);
  }
  return *shown_;
}

bool MpiMessages::is_certain(Index entry) const {
  if (entry == kNoIndex || graph_.record_of(entry).uncertain) return false;
  const Index process = graph_.entries[entry].process;
  const record::Snapshot& snapshot = graph_.snapshots[process];
  const Ledger& seen = ledger_ != nullptr ? *ledger_ : *shown_;
  return graph_.processes[process].trusted && seen.has_all_of_mpi(snapshot.rank, snapshot.recorded);
}

void MpiMessages::need(Message& message) {
  if (message.operation == kNoIndex) return;
  history();
  if (!is_certain(message.entry)) return;
  const WaitGraph::Operation& operation = graph_.operations[message.operation];
  const std::int64_t awaited_ns = graph_.streams[graph_.stream_of(operation)].awaited_ns;
  switch (operation.call) {
    case Call::mpi_send:
      // It may be buffered, unless a thread has waited for it for long enough.
      if (awaited_ns == WaitGraph::Stream::kNobodyWaits ||
          graph_.parameters.now_ns - awaited_ns < graph_.parameters.may_wait_ns) {
        return;
      }
      return need_taker(message);
    case Call::mpi_ssend:
      return need_taker(message);
    case Call::mpi_recv:
    case Call::mpi_probe:
      return message.peer == record::kAnyPeer || message.tag == record::kAnyTag
                 ? need_any_sender(message)
                 : need_sender(message);
    default:
      return;
  }
}

void MpiMessages::need_sender(Message& message) {
  const Index communicator = graph_.entries[message.entry].communicator;
  const Index sender = graph_.entry_of(communicator, message.peer);
  if (!is_certain(sender)) return;
  const std::uint64_t sent = history().mpi_sent(graph_.communicators[communicator].id, message.peer,
                                                graph_.rank_of(message.entry), message.tag);
  if (sent > message.number) {
    // As far as is known, it will arrive. But in a job that stands still, the sender's host may be
    // what holds it up.
    if (hosts_ != Hosts::frozen || !is_under_way(sender, message)) return;
  }
  message.awaits_entry = sender;
  graph_.edge(graph_.future(sender), graph_.complete(graph_.operations[message.operation]));
}

// Whether the send is still under way.
bool MpiMessages::is_under_way(Index sender, const Message& received) const {
  const Index process = graph_.entries[sender].process;
  return std::any_of(graph_.messages.begin() + graph_.processes[process].first_message,
                     graph_.messages.begin() + graph_.processes[process + 1].first_message,
                     [&](const Message& sent) {
                       return sent.entry == sender && sent.sends && sent.operation != kNoIndex &&
                              sent.peer == graph_.rank_of(received.entry) &&
                              sent.tag == received.tag && sent.number == received.number;
                     });
}

void MpiMessages::need_taker(Message& message) {
  const Index communicator = graph_.entries[message.entry].communicator;
  const Index taker = graph_.entry_of(communicator, message.peer);
  const std::int32_t own = graph_.rank_of(message.entry);
  if (!is_certain(taker) || may_take(taker, own, message.tag)) return;
  const std::uint64_t taken =
      history().mpi_received(graph_.communicators[communicator].id, own, message.peer, message.tag);
  if (taken > message.number) return;
  message.awaits_entry = taker;
  graph_.edge(graph_.future(taker), graph_.complete(graph_.operations[message.operation]));
}

// Whether a receive is under way that accepts any source or any tag, and so may take this message.
bool MpiMessages::may_take(Index entry, std::int32_t from, std::int32_t tag) const {
  const Index process = graph_.entries[entry].process;
  const auto first = graph_.messages.begin() + graph_.processes[process].first_message;
  const auto end = graph_.messages.begin() + graph_.processes[process + 1].first_message;
  return std::any_of(first, end, [&](const Message& message) {
    const bool any_peer = message.peer == record::kAnyPeer;
    const bool any_tag = message.tag == record::kAnyTag;
    return message.entry == entry && !message.sends && message.operation != kNoIndex &&
           (any_peer || any_tag) && (any_peer || message.peer == from) &&
           (any_tag || message.tag == tag);
  });
}

// If no more messages were sent to this rank than it has received, none is left for this receive.
// Then it needs one of the possible senders to act.
void MpiMessages::need_any_sender(Message& message) {
  const Index own = message.entry;
  const WaitGraph::Communicator& communicator =
      graph_.communicators[graph_.entries[own].communicator];
  std::vector<Index> senders;
  for (Index member = 0; member < communicator.size; ++member) {
    const Index entry = graph_.members[communicator.first_member + member];
    if (!is_certain(entry)) return;
    if (message.peer == record::kAnyPeer || message.peer == graph_.rank_of(entry)) {
      senders.push_back(entry);
    }
  }
  // Receives under way count as received in the ledger, but have received nothing yet.
  const Index process = graph_.entries[own].process;
  const auto under_way = std::count_if(
      graph_.messages.begin() + graph_.processes[process].first_message,
      graph_.messages.begin() + graph_.processes[process + 1].first_message,
      [&](const Message& other) {
        return other.entry == own && other.operation != kNoIndex && other.peer >= 0 &&
               other.tag >= 0 && graph_.operations[other.operation].call == Call::mpi_recv;
      });
  const Ledger::Mail mail = history().mpi_mail(communicator.id, graph_.rank_of(own));
  if (mail.sent + static_cast<std::uint64_t>(under_way) > mail.received) return;
  const NodeId any = graph_.any(message.alternatives);
  for (const Index sender : senders) graph_.edges.add(graph_.future(sender), any);
  graph_.edge(any, graph_.complete(graph_.operations[message.operation]));
}

}  // namespace gridlock::detect
