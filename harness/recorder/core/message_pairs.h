// How many messages each pair of members has exchanged, by direction. The box shows the first
// kPairs of them.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/record/words.h"

namespace gridlock::recorder {

// How many operations of one kind there were: collectives on a communicator, or messages in one
// direction with one peer. Those that were launched stand above those that are announced besides.
using CallCount = std::atomic<std::uint64_t>;
constexpr int kAnnouncedBits = 24;
constexpr std::uint64_t kAnnounced = 1;
constexpr std::uint64_t kLaunched = std::uint64_t{1} << kAnnouncedBits;

inline std::uint64_t launched(std::uint64_t count) { return count >> kAnnouncedBits; }
inline std::uint64_t next(std::uint64_t count) { return launched(count) + count % kLaunched; }

// `key`: record::pack_pair. Null: no message was announced yet, or there was no room.
CallCount* find_pair(std::uint64_t key);
// The first message of a pair. `reclaim` frees pairs that nobody needs, when the box is full.
//   Blocks   for another thread that adds one
CallCount* add_pair(std::uint64_t key, void (*reclaim)());
// Of a communicator of `size` members. A reader that misses pairs of a communicator sees that its
// serial has changed: that comes first.
void remove_pairs(std::uint64_t serial, int size);
// Where the box shows what was counted; kPairs and above: nowhere.
std::uint32_t index_of(const CallCount* count);

}  // namespace gridlock::recorder
