// Recognises waits of which nothing shows what they are for.
#include "tests/fuzz/live/races.h"

#include <algorithm>

namespace gridlock::fuzz {
namespace {

bool waits_for_what_is_past(const record::Snapshot& rank, const record::Thread& thread) {
  if (thread.waits == record::Waits::stream) {
    return rank.streams.at(thread.stream).completed >= thread.position;
  }
  if (thread.waits == record::Waits::nothing) return thread.call == record::Call::event_synchronize;
  if (thread.waits != record::Waits::device && thread.waits != record::Waits::legacy_stream) {
    return false;
  }
  return std::ranges::none_of(rank.operations, [&](const record::Operation& operation) {
    return operation.launched != 0 && operation.launched <= thread.launches &&
           operation.stream != record::kNone &&
           operation.position > rank.streams.at(operation.stream).completed;
  });
}

// Whether the thread copies in the default stream, while another thread has put an operation into a
// stream that waits for it, or for which it waits: which of them came first is not recorded.
bool races_with_a_copy(const record::Snapshot& rank, std::size_t index) {
  const record::Thread& thread = rank.threads[index];
  if (thread.waits != record::Waits::legacy_stream) return false;
  return std::ranges::any_of(rank.operations, [&](const record::Operation& operation) {
    if (operation.stream == record::kNone || operation.thread == index) return false;
    const record::Stream& stream = rank.streams.at(operation.stream);
    return operation.launched >= thread.launches && operation.launched != 0 &&
           !stream.non_blocking && operation.position > stream.completed;
  });
}

// Whether two threads have put work on the default stream and on a blocking one at once, so that
// the end of one of them got no mark.
bool has_unmarked_end(const record::Snapshot& rank) {
  return std::ranges::any_of(
      rank.streams, [](const record::Stream& stream) { return stream.missed > stream.completed; });
}

}  // namespace

bool has_race(const std::vector<record::Snapshot>& ranks) {
  return std::ranges::any_of(ranks, [](const record::Snapshot& rank) {
    if (has_unmarked_end(rank)) return true;
    for (std::size_t index = 0; index < rank.threads.size(); ++index) {
      if (!rank.threads[index].exists) continue;
      if (waits_for_what_is_past(rank, rank.threads[index]) || races_with_a_copy(rank, index)) {
        return true;
      }
    }
    return false;
  });
}

}  // namespace gridlock::fuzz
