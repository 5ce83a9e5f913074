// Which message waits for which: sends and receives of a pair are matched by their numbers.
#include <algorithm>
#include <tuple>

#include "harness/detect/graph/builder.h"

namespace gridlock::detect {

GraphBuilder::Arrival GraphBuilder::find(Index entry, std::int32_t peer, std::uint64_t number,
                                         bool sends) const {
  const Index process = g_.entries[entry].process;
  if (!g_.processes[process].trusted) return {};
  const auto begin = g_.messages.begin() + g_.processes[process].first_message;
  const auto end = g_.messages.begin() + g_.processes[process + 1].first_message;
  const auto key = [](const Message& message) {
    return std::tie(message.entry, message.sends, message.peer, message.number);
  };
  const auto at = std::lower_bound(
      begin, end, std::tie(entry, sends, peer, number),
      [&](const Message& message, const auto& wanted) { return key(message) < wanted; });
  const auto same_pair = [&](const Message& message) {
    return message.entry == entry && message.sends == sends && message.peer == peer;
  };
  if (at != end && same_pair(*at)) {
    const auto index = static_cast<Index>(at - g_.messages.begin());
    if (at->number == number) {
      return {.kind = at->operation == kNoIndex ? Arrival::past : Arrival::in_flight,
              .message = index};
    }
    return {};  // a later one is there, so this one is past
  }
  if (at != begin && same_pair(*std::prev(at))) return {.kind = Arrival::not_called};
  // The snapshot shows no message of this pair: only history can say whether there were any.
  const record::Snapshot& snapshot = g_.snapshots[process];
  if (ledger_ != nullptr) {
    const bool complete =
        ledger_->complete(snapshot.rank) && snapshot.recorded <= ledger_->next_index(snapshot.rank);
    const std::uint64_t count = ledger_->messages(
        g_.communicators[g_.entries[entry].communicator].id, g_.rank_of(entry), peer, sends);
    return {.kind = complete && count <= number ? Arrival::not_called : Arrival::past};
  }
  const bool all_shown =
      snapshot.operations.empty() ? snapshot.recorded == 0 : snapshot.operations.front().index <= 1;
  return {.kind = all_shown ? Arrival::not_called : Arrival::past};
}

void GraphBuilder::await(Message& message, Arrival arrival, Index peer_entry) {
  const NodeId complete = g_.complete(g_.operations[message.operation]);
  if (arrival.kind == Arrival::in_flight) {
    message.awaits = arrival.message;
    const Index operation = g_.messages[arrival.message].operation;
    edge(g_.come(g_.operations[operation]), complete);
  } else if (arrival.kind == Arrival::not_called) {
    message.awaits_entry = peer_entry;
    edge(g_.future(peer_entry), complete);
  }
}

void GraphBuilder::need_messages() {
  for (Index first = 0; first < g_.messages.size();) {
    Index end = first;
    const Message& head = g_.messages[first];
    while (end < g_.messages.size() && g_.messages[end].entry == head.entry &&
           g_.messages[end].sends == head.sends && g_.messages[end].peer == head.peer) {
      ++end;
    }
    const Index peer_entry = g_.entry_of(g_.entries[head.entry].communicator, head.peer);
    if (g_.record_of(head.entry).mpi) {
      for (Index index = first; index < end; ++index) need_mpi_message(g_.messages[index]);
    } else if (peer_entry != kNoIndex && !g_.entries[head.entry].aborted) {
      if (head.sends) {
        need_sends(first, end);
      } else {
        for (Index index = first; index < end; ++index) {
          Message& message = g_.messages[index];
          if (message.operation == kNoIndex) continue;
          const Arrival sender = find(peer_entry, g_.rank_of(message.entry), message.number, true);
          await(message, sender, peer_entry);
          bool misfit =
              sender.message != kNoIndex && g_.messages[sender.message].bytes != message.bytes;
          if (ledger_ != nullptr && sender.kind == Arrival::past) {
            misfit = misfit ||
                     ledger_->mismatch(g_.communicators[g_.entries[message.entry].communicator].id,
                                       message.number, message.peer,
                                       g_.rank_of(message.entry)) != nullptr;
          }
          if (misfit) {
            message.misfit = true;
            never(g_.complete(g_.operations[message.operation]));
          }
        }
      }
    }
    first = end;
  }
}

// Messages that the peer has not taken and that the run at `first` does not show, oldest first.
std::vector<GraphBuilder::Sent> GraphBuilder::sent_before(Index first, Index peer_entry) const {
  // More than this are not told apart: NCCL and the simulation hold fewer.
  constexpr std::size_t kMost = 256;
  const Message& head = g_.messages[first];
  const std::int32_t own = g_.rank_of(head.entry);
  std::vector<Sent> sent;
  for (std::uint64_t number = head.number; number > 0 && sent.size() < kMost; --number) {
    const Arrival taken = find(peer_entry, own, number - 1, false);
    if (taken.kind == Arrival::past) break;
    std::uint64_t bytes = 0;
    if (taken.message != kNoIndex) {
      bytes = g_.messages[taken.message].bytes;
    } else if (ledger_ != nullptr) {
      bytes = ledger_->bytes_of_message(g_.communicators[g_.entries[head.entry].communicator].id,
                                        own, head.peer, number - 1);
    }
    sent.push_back({.number = number - 1, .bytes = bytes});
  }
  std::reverse(sent.begin(), sent.end());
  return sent;
}

void GraphBuilder::need_sends(Index first, Index end) {
  const Index own = g_.messages[first].entry;
  const Index peer_entry = g_.entry_of(g_.entries[own].communicator, g_.messages[first].peer);
  std::vector<Sent> sent = sent_before(first, peer_entry);
  for (Index index = first; index < end; ++index) {
    sent.push_back(
        {.number = g_.messages[index].number, .bytes = g_.messages[index].bytes, .message = index});
  }
  // The window holds what may lie in the buffer together; what it has left behind must be taken
  // before its end can be sent.
  std::size_t begin = 0;
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; at < sent.size(); ++at) {
    bytes += sent[at].bytes;
    while (bytes > g_.parameters.buffer_bytes) bytes -= sent[begin++].bytes;
    if (begin == 0 || sent[at].message == kNoIndex) continue;
    Message& message = g_.messages[sent[at].message];
    if (message.operation == kNoIndex) continue;
    const Sent& taken = sent[begin - 1];
    const Arrival arrival = find(peer_entry, g_.rank_of(own), taken.number, false);
    await(message, arrival, peer_entry);
    if (taken.message == sent[at].message && arrival.message != kNoIndex &&
        g_.messages[arrival.message].bytes != message.bytes) {
      message.misfit = true;
      never(g_.complete(g_.operations[message.operation]));
    }
  }
}

}  // namespace gridlock::detect
