// Sends and receives of a pair are matched by their numbers.
#include "harness/detect/graph/meetings/messages.h"

#include <algorithm>

#include "harness/detect/graph/meetings/mpi_messages.h"
#include "harness/detect/graph/meetings/pairs.h"

namespace gridlock::detect {
namespace {

// A message that was sent but not taken.
struct Sent {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  Index message = kNoIndex;  // kNoIndex: the snapshot no longer shows it
};

void await(WaitGraph& graph, WaitGraph::Message& message, Arrival arrival, Index peer_entry) {
  const NodeId complete = graph.complete(graph.operations[message.operation]);
  if (arrival.kind == Arrival::in_flight) {
    message.awaits = arrival.message;
    const Index operation = graph.messages[arrival.message].operation;
    graph.edge(graph.come(graph.operations[operation]), complete);
  } else if (arrival.kind == Arrival::not_called) {
    message.awaits_entry = peer_entry;
    graph.edge(graph.future(peer_entry), complete);
  }
}

// Only an abort by its own rank ends it.
void never_fits(WaitGraph& graph, WaitGraph::Message& message) {
  message.misfit = true;
  ++graph.need[graph.complete(graph.operations[message.operation])];
}

// Messages that the peer has not taken and that come before the run of messages at `first`, oldest
// first.
std::vector<Sent> sent_before(const WaitGraph& graph, const Ledger* ledger, Index first,
                              Index peer_entry) {
  // Look back no further than this: NCCL and the simulation hold fewer.
  constexpr std::size_t kMost = 256;
  const WaitGraph::Message& head = graph.messages[first];
  const std::int32_t own = graph.rank_of(head.entry);
  std::vector<Sent> sent;
  for (std::uint64_t number = head.number; number > 0 && sent.size() < kMost; --number) {
    const Arrival taken = find_message(graph, ledger, peer_entry, own, number - 1, false);
    if (taken.kind == Arrival::past) break;
    std::uint64_t bytes = 0;
    if (taken.message != kNoIndex) {
      bytes = graph.messages[taken.message].bytes;
    } else if (ledger != nullptr) {
      bytes =
          ledger->bytes_of_message(graph.communicators[graph.entries[head.entry].communicator].id,
                                   own, head.peer, number - 1);
    }
    sent.push_back({.number = number - 1, .bytes = bytes});
  }
  std::reverse(sent.begin(), sent.end());
  return sent;
}

void need_sends(WaitGraph& graph, const Ledger* ledger, Index first, Index end) {
  const Index own = graph.messages[first].entry;
  const Index peer_entry =
      graph.entry_of(graph.entries[own].communicator, graph.messages[first].peer);
  std::vector<Sent> sent = sent_before(graph, ledger, first, peer_entry);
  for (Index index = first; index < end; ++index) {
    sent.push_back({.number = graph.messages[index].number,
                    .bytes = graph.messages[index].bytes,
                    .message = index});
  }
  std::vector<std::uint64_t> bytes;
  bytes.reserve(sent.size());
  for (const Sent& one : sent) bytes.push_back(one.bytes);
  const std::vector<std::size_t> taken =
      taken_before(bytes, graph.buffer_bytes(graph.entries[own].process));
  for (std::size_t at = 0; at < sent.size(); ++at) {
    if (taken[at] == 0 || sent[at].message == kNoIndex) continue;
    WaitGraph::Message& message = graph.messages[sent[at].message];
    if (message.operation == kNoIndex) continue;
    const Sent& last = sent[taken[at] - 1];
    const Arrival arrival =
        find_message(graph, ledger, peer_entry, graph.rank_of(own), last.number, false);
    await(graph, message, arrival, peer_entry);
    if (last.message == sent[at].message && arrival.message != kNoIndex &&
        graph.messages[arrival.message].bytes != message.bytes) {
      never_fits(graph, message);
    }
  }
}

// The receives from `first` to `end`, all of one pair.
void need_receives(WaitGraph& graph, const Ledger* ledger, Index first, Index end) {
  const std::int32_t own = graph.rank_of(graph.messages[first].entry);
  const std::int32_t peer = graph.messages[first].peer;
  const Index communicator = graph.entries[graph.messages[first].entry].communicator;
  const Index peer_entry = graph.entry_of(communicator, peer);
  for (Index index = first; index < end; ++index) {
    WaitGraph::Message& message = graph.messages[index];
    if (message.operation == kNoIndex) continue;
    const Arrival sender = find_message(graph, ledger, peer_entry, own, message.number, true);
    await(graph, message, sender, peer_entry);
    const bool differs =
        sender.message != kNoIndex && graph.messages[sender.message].bytes != message.bytes;
    const bool differed = ledger != nullptr && sender.kind == Arrival::past &&
                          ledger->mismatch(graph.communicators[communicator].id, message.number,
                                           peer, own) != nullptr;
    if (!differs && !differed) continue;
    never_fits(graph, message);
  }
}

}  // namespace

std::vector<std::size_t> taken_before(std::span<const std::uint64_t> bytes,
                                      std::uint64_t buffer_bytes) {
  std::vector<std::size_t> taken;
  taken.reserve(bytes.size());
  std::size_t begin = 0;  // the messages in the buffer begin here
  std::uint64_t held = 0;
  for (const std::uint64_t one : bytes) {
    held += one;
    while (held > buffer_bytes) held -= bytes[begin++];
    taken.push_back(begin);
  }
  return taken;
}

void need_messages(WaitGraph& graph, const Ledger* ledger, Hosts hosts) {
  MpiMessages mpi(graph, ledger, hosts);
  for (Index first = 0; first < graph.messages.size();) {
    Index end = first;
    const WaitGraph::Message& head = graph.messages[first];
    while (end < graph.messages.size() && graph.messages[end].entry == head.entry &&
           graph.messages[end].sends == head.sends && graph.messages[end].peer == head.peer) {
      ++end;
    }
    const WaitGraph::Entry& own = graph.entries[head.entry];
    if (graph.record_of(head.entry).mpi) {
      for (Index index = first; index < end; ++index) mpi.need(graph.messages[index]);
    } else if (graph.entry_of(own.communicator, head.peer) != kNoIndex && !own.aborted) {
      (head.sends ? need_sends : need_receives)(graph, ledger, first, end);
    }
    first = end;
  }
}

}  // namespace gridlock::detect
