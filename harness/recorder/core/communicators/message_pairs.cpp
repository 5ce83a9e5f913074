// A table of counts that never moves, so that counting takes no lock.
#include "harness/recorder/core/communicators/message_pairs.h"

#include "harness/recorder/core/fixed_map.h"
#include "harness/recorder/core/recorder.h"

namespace gridlock::recorder {
namespace {

using record::kNone;

FixedMap<65536> g_pairs;  // (communicator, peer, direction) -> 1 + index in g_messages
constexpr std::uint32_t kMostPairs = decltype(g_pairs)::kMostKeys;
CallCount g_messages[kMostPairs];
std::atomic<bool> g_pair_used[kMostPairs];  // the box shows the first kPairs
std::atomic<std::uint32_t> g_pairs_in_use = 0;
std::atomic<std::uint32_t> g_next_pair = 0;  // where to start looking for a free one
std::atomic_flag g_adding_pair = ATOMIC_FLAG_INIT;

std::uint32_t take_free_pair() {
  const std::uint32_t first = g_next_pair.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < kMostPairs; ++i) {
    const std::uint32_t at = (first + i) % kMostPairs;
    if (g_pair_used[at].load(std::memory_order_relaxed)) continue;
    g_pair_used[at].store(true, std::memory_order_relaxed);
    ++g_pairs_in_use;
    g_next_pair.store((at + 1) % kMostPairs, std::memory_order_relaxed);
    return at;
  }
  return kNone;
}

void remove_pair(std::uint64_t key) {
  const auto* found = g_pairs.find(key);
  if (found == nullptr) return;
  const auto at = static_cast<std::uint32_t>(found->load() - 1);
  g_pairs.remove(key);
  if (at < record::kPairs) writer().free_pair(at);
  g_pair_used[at].store(false, std::memory_order_release);
  --g_pairs_in_use;
  // Reuse low indexes first, because the box shows only these.
  if (at < g_next_pair.load(std::memory_order_relaxed)) g_next_pair.store(at);
}

}  // namespace

CallCount* find_pair(std::uint64_t key) {
  const auto* found = g_pairs.find(key);
  return found == nullptr ? nullptr : &g_messages[found->load() - 1];
}

std::uint32_t index_of(const CallCount* count) {
  return static_cast<std::uint32_t>(count - g_messages);
}

void remove_pairs(std::uint64_t serial, int size) {
  for (int peer = 0; peer < size; ++peer) {
    for (const bool receives : {false, true})
      remove_pair(record::pack_pair(serial, peer, receives));
  }
}

[[gnu::noinline, gnu::cold]] CallCount* add_pair(std::uint64_t key, void (*reclaim)()) {
  const Hold hold(g_adding_pair);
  CallCount* count = find_pair(key);  // another thread may have been first
  if (count == nullptr && g_pairs_in_use.load() >= record::kPairs) reclaim();
  const std::uint32_t at = count == nullptr ? take_free_pair() : kNone;
  if (at != kNone) {
    g_messages[at] = 0;
    if (at < record::kPairs) writer().put_pair(at, key);
    if (g_pairs.set(key, at + 1)) count = &g_messages[at];
  }
  if (count == nullptr || index_of(count) >= record::kPairs) {
    __atomic_fetch_add(&writer().box().header.lost_pairs, 1, __ATOMIC_RELEASE);
  }
  return count;
}

}  // namespace gridlock::recorder
