// What MPI's messages and requests wait for. They are counted, not paired: the receive number n
// from a sender and tag needs that n + 1 such messages were sent, whichever it gets.
#include <algorithm>

#include "harness/detect/graph/builder.h"

namespace gridlock::detect {

using record::Call;
using record::Waits;

void GraphBuilder::find_awaited(Index process) {
  const record::Snapshot& snapshot = g_.snapshots[process];
  const WaitGraph::Process& of = g_.processes[process];
  if (of.gone) return;
  const auto await = [&](std::uint32_t stream, std::int64_t since_ns) {
    if (stream >= snapshot.streams.size()) return;
    std::int64_t& awaited_ns = g_.streams[of.first_stream + stream].awaited_ns;
    awaited_ns = std::max(awaited_ns, since_ns);
  };
  for (const record::Thread& thread : snapshot.threads) {
    if (!thread.exists) continue;
    if (thread.waits == Waits::stream) await(thread.stream, thread.since_ns);
    for (const std::uint32_t stream : thread.requests) await(stream, thread.since_ns);
  }
}

void GraphBuilder::wait_for_requests(Index thread) {
  const record::Thread& record = g_.record_of_thread(thread);
  const WaitGraph::Process& of = g_.processes[g_.threads[thread].process];
  std::vector<Index> units;
  for (const std::uint32_t stream : record.requests) {
    const WaitGraph::Stream& request = g_.streams[of.first_stream + stream];
    if (request.units > 0) units.push_back(request.first_unit + request.units - 1);
  }
  const bool any = record.waits == Waits::any_request;
  // One of them is over, or there is none that we know.
  if (units.empty() || (any && units.size() < record.requests.size())) return;
  for (const Index unit : units) g_.edges_.add(g_.pass(unit), g_.thread(thread));
  g_.need[g_.thread(thread)] += any ? 1 : static_cast<Index>(units.size());
}

const Ledger& GraphBuilder::history() {
  if (ledger_ != nullptr) return *ledger_;
  if (!shown_) {
    shown_.emplace();
    shown_->add(g_.snapshots);
  }
  return *shown_;
}

bool GraphBuilder::is_certain(Index entry) const {
  if (entry == kNoIndex || g_.record_of(entry).uncertain) return false;
  const Index process = g_.entries[entry].process;
  const record::Snapshot& snapshot = g_.snapshots[process];
  const Ledger& seen = ledger_ != nullptr ? *ledger_ : *shown_;
  return g_.processes[process].trusted && seen.complete(snapshot.rank) &&
         snapshot.recorded <= seen.next_index(snapshot.rank);
}

void GraphBuilder::need_mpi_message(Message& message) {
  if (message.operation == kNoIndex) return;
  history();
  if (!is_certain(message.entry)) return;
  const WaitGraph::Operation& operation = g_.operations[message.operation];
  const std::int64_t awaited_ns = g_.streams[g_.stream_of(operation)].awaited_ns;
  switch (operation.call) {
    case Call::mpi_send:
      // It may have been buffered, as long as it is not seen to wait.
      if (awaited_ns == WaitGraph::Stream::kNobodyWaits ||
          g_.parameters.now_ns - awaited_ns < g_.parameters.may_wait_ns) {
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

void GraphBuilder::need_sender(Message& message) {
  const Index communicator = g_.entries[message.entry].communicator;
  const Index sender = g_.entry_of(communicator, message.peer);
  if (!is_certain(sender)) return;
  const std::uint64_t sent = history().mpi_sent(g_.communicators[communicator].id, message.peer,
                                                g_.rank_of(message.entry), message.tag);
  if (sent > message.number) {
    // It comes, for all that is known; but in a job that does not move it is the sender's host that
    // does not move it.
    if (hosts_ != Hosts::frozen || !is_under_way(sender, message)) return;
  }
  message.awaits_entry = sender;
  edge(g_.future(sender), g_.complete(g_.operations[message.operation]));
}

// Whether the sender's side of a message is not over.
bool GraphBuilder::is_under_way(Index sender, const Message& received) const {
  const Index process = g_.entries[sender].process;
  return std::any_of(g_.messages.begin() + g_.processes[process].first_message,
                     g_.messages.begin() + g_.processes[process + 1].first_message,
                     [&](const Message& sent) {
                       return sent.entry == sender && sent.sends && sent.operation != kNoIndex &&
                              sent.peer == g_.rank_of(received.entry) && sent.tag == received.tag &&
                              sent.number == received.number;
                     });
}

void GraphBuilder::need_taker(Message& message) {
  const Index communicator = g_.entries[message.entry].communicator;
  const Index taker = g_.entry_of(communicator, message.peer);
  const std::int32_t own = g_.rank_of(message.entry);
  if (!is_certain(taker) || may_take(taker, own, message.tag)) return;
  const std::uint64_t taken =
      history().mpi_received(g_.communicators[communicator].id, own, message.peer, message.tag);
  if (taken > message.number) return;
  message.awaits_entry = taker;
  edge(g_.future(taker), g_.complete(g_.operations[message.operation]));
}

// Whether a receive is under way that takes anything, and so perhaps this.
bool GraphBuilder::may_take(Index entry, std::int32_t from, std::int32_t tag) const {
  const Index process = g_.entries[entry].process;
  const auto first = g_.messages.begin() + g_.processes[process].first_message;
  const auto end = g_.messages.begin() + g_.processes[process + 1].first_message;
  return std::any_of(first, end, [&](const Message& message) {
    const bool any_peer = message.peer == record::kAnyPeer;
    const bool any_tag = message.tag == record::kAnyTag;
    return message.entry == entry && !message.sends && message.operation != kNoIndex &&
           (any_peer || any_tag) && (any_peer || message.peer == from) &&
           (any_tag || message.tag == tag);
  });
}

// No message is left that it could get, where no more were sent to this rank than it has received;
// and none will come, where nobody who could send can act.
void GraphBuilder::need_any_sender(Message& message) {
  const Index own = message.entry;
  const WaitGraph::Communicator& communicator = g_.communicators[g_.entries[own].communicator];
  std::vector<Index> senders;
  for (Index member = 0; member < communicator.size; ++member) {
    const Index entry = g_.members[communicator.first_member + member];
    if (!is_certain(entry)) return;
    if (message.peer == record::kAnyPeer || message.peer == g_.rank_of(entry)) {
      senders.push_back(entry);
    }
  }
  // Receives that are under way count as called; they have received nothing yet.
  const Index process = g_.entries[own].process;
  const auto under_way = std::count_if(
      g_.messages.begin() + g_.processes[process].first_message,
      g_.messages.begin() + g_.processes[process + 1].first_message, [&](const Message& other) {
        return other.entry == own && other.operation != kNoIndex && other.peer >= 0 &&
               other.tag >= 0 && g_.operations[other.operation].call == Call::mpi_recv;
      });
  const Ledger::Mail mail = history().mpi_mail(communicator.id, g_.rank_of(own));
  if (mail.sent + static_cast<std::uint64_t>(under_way) > mail.received) return;
  const NodeId any = g_.any(message.alternatives);
  for (const Index sender : senders) g_.edges_.add(g_.future(sender), any);
  edge(any, g_.complete(g_.operations[message.operation]));
}

}  // namespace gridlock::detect
