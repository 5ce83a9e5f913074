// Messages are sorted by pair and number.
#include "harness/detect/graph/meetings/pairs.h"

#include <algorithm>
#include <tuple>

namespace gridlock::detect {
namespace {

// Whether the ledger and the snapshot together know all that the rank has called. The ledger stops
// at a call that may still be refused; the snapshot shows that one and those behind it.
bool knows_all(const record::Snapshot& snapshot, const Ledger& ledger) {
  const std::uint64_t next = ledger.next_index(snapshot.rank);
  if (!ledger.complete(snapshot.rank)) return false;
  const auto shown =
      std::ranges::lower_bound(snapshot.operations, next, {}, &record::Operation::index);
  return snapshot.recorded <= next + static_cast<std::uint64_t>(snapshot.operations.end() - shown);
}

}  // namespace

Arrival find_message(const WaitGraph& graph, const Ledger* ledger, Index entry, std::int32_t peer,
                     std::uint64_t number, bool sends) {
  const Index process = graph.entries[entry].process;
  if (!graph.processes[process].trusted) return {};
  const auto begin = graph.messages.begin() + graph.processes[process].first_message;
  const auto end = graph.messages.begin() + graph.processes[process + 1].first_message;
  const auto key = [](const WaitGraph::Message& message) {
    return std::tie(message.entry, message.sends, message.peer, message.number);
  };
  const auto at = std::lower_bound(
      begin, end, std::tie(entry, sends, peer, number),
      [&](const WaitGraph::Message& message, const auto& wanted) { return key(message) < wanted; });
  const auto same_pair = [&](const WaitGraph::Message& message) {
    return message.entry == entry && message.sends == sends && message.peer == peer;
  };
  if (at != end && same_pair(*at)) {
    const auto index = static_cast<Index>(at - graph.messages.begin());
    if (at->number == number) {
      return {.kind = at->operation == kNoIndex ? Arrival::past : Arrival::in_flight,
              .message = index};
    }
    return {};  // a later one is shown, so this one is past
  }
  if (at != begin && same_pair(*std::prev(at))) return {.kind = Arrival::not_called};
  // The snapshot shows no message of this pair. The record may still count them.
  const record::Communicator& own = graph.record_of(entry);
  if (own.counts_messages) {
    const auto counted = std::ranges::find_if(
        own.messages, [&](const auto& one) { return one.peer == peer && one.sends == sends; });
    const std::uint64_t count = counted == own.messages.end() ? 0 : counted->count;
    return {.kind = count <= number ? Arrival::not_called : Arrival::past};
  }
  // Otherwise only the ledger or the whole ring can say whether there were any.
  const record::Snapshot& snapshot = graph.snapshots[process];
  if (ledger != nullptr) {
    const std::uint64_t count =
        ledger->messages(graph.communicators[graph.entries[entry].communicator].id,
                         graph.rank_of(entry), peer, sends);
    return {.kind = knows_all(snapshot, *ledger) && count <= number ? Arrival::not_called
                                                                    : Arrival::past};
  }
  const bool all_shown =
      snapshot.operations.empty() ? snapshot.recorded == 0 : snapshot.operations.front().index <= 1;
  return {.kind = all_shown ? Arrival::not_called : Arrival::past};
}

}  // namespace gridlock::detect
