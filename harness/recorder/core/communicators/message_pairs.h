// How many messages each pair of members has exchanged, by direction. The box shows the first
// kPairs pairs.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/record/words.h"

namespace gridlock::recorder {

// How many operations of one kind there were: collectives on a communicator, or messages in one
// direction with one peer. The upper bits count those that are launched, the lower bits those that
// are only announced.
using CallCount = std::atomic<std::uint64_t>;
constexpr int kAnnouncedBits = 24;
constexpr std::uint64_t kAnnounced = 1;
constexpr std::uint64_t kLaunched = std::uint64_t{1} << kAnnouncedBits;

inline std::uint64_t launched(std::uint64_t count) { return count >> kAnnouncedBits; }
inline std::uint64_t next(std::uint64_t count) { return launched(count) + count % kLaunched; }

// `key`: record::pack_pair. Null: no message was announced yet, or there was no room.
CallCount* find_pair(std::uint64_t key);
// Adds a pair at its first message. If the box is full, `reclaim` frees pairs that are no longer
// needed.
//   Blocks for another thread that adds a pair
CallCount* add_pair(std::uint64_t key, void (*reclaim)());
// Removes the pairs of a communicator with `size` members. REQUIRES: the box already shows the
// communicator's new serial, so that a reader that misses pairs sees why.
void remove_pairs(std::uint64_t serial, int size);
// The pair's index in the box; kPairs and above: the box does not show it.
std::uint32_t index_of(const CallCount* count);

}  // namespace gridlock::recorder
