// Slots: the number of each collective on its communicator, and of each message of its pair. A call
// takes one when it is announced, and the box shows it when it is launched.
#include <bit>

#include "harness/recorder/core/communicators/connects.h"
#include "harness/recorder/core/communicators/message_pairs.h"
#include "harness/recorder/core/communicators/table.h"
#include "harness/recorder/core/recorder.h"

namespace gridlock::recorder {
namespace {

using record::Call;
using record::kNone;

std::uint64_t pair_key(const Communicator& communicator, int peer, bool receives) {
  return record::pack_pair(communicator.entry.serial, peer, receives);
}

// Which connections a collective needs depends on the algorithm, and so on its kind and size.
std::uint64_t size_class(std::uint64_t count) {
  return std::uint64_t{1} << (std::bit_width(count) % 64);
}

// Of a communicator of one rank, perhaps beside another one.
[[gnu::noinline, gnu::cold]] std::uint64_t launch_copy(std::uint32_t index, CallCount& count) {
  const std::uint64_t number = launched(count.fetch_add(kLaunched - kAnnounced));
  std::uint64_t& shown = writer().box().communicators[index].next_slot;
  std::uint64_t before = record::load_relaxed(shown);
  while (before <= number && !__atomic_compare_exchange_n(&shown, &before, number + 1, false,
                                                          __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
  return number;
}

}  // namespace

Slot announce_slot(std::uint32_t index, Call call, int peer, std::uint64_t count) {
  if (index == kNone) return {};
  Communicator& communicator = g_communicators[index];
  if (record::is_message(call)) {
    const std::uint64_t key = pair_key(communicator, peer, call == Call::recv);
    CallCount* messages = find_pair(key);
    if (messages == nullptr) [[unlikely]]
      messages = add_pair(key, reclaim_pairs);
    const std::uint64_t number = messages == nullptr ? 0 : next(messages->fetch_add(kAnnounced));
    return {.number = number,
            .may_connect = number == 0 && connects(call) != Connects::never,
            .count = messages};
  }
  // NCCL forbids two calls on a communicator at once. But a graph with copies may be launched
  // beside another one.
  if (communicator.entry.size == 1) [[unlikely]] {
    const std::uint64_t before = communicator.collectives.fetch_add(kAnnounced);
    return {.number = next(before), .count = &communicator.collectives};
  }
  const std::uint64_t before = communicator.collectives.load(std::memory_order_relaxed);
  communicator.collectives.store(before + kAnnounced, std::memory_order_relaxed);
  Slot slot{.number = next(before), .count = &communicator.collectives};
  const Connects made = connects(call);
  if (made != Connects::at_each_kind) {
    slot.may_connect = slot.number == 0 && made == Connects::at_first;
    return slot;
  }
  const std::uint64_t size = size_class(count);
  auto& sizes = communicator.connected[static_cast<int>(call)];
  slot.may_connect =
      (sizes.load(std::memory_order_relaxed) & size) == 0 && (sizes.fetch_or(size) & size) == 0;
  return slot;
}

CallCount* count_of(const record::OperationEntry& operation) {
  if (operation.communicator == kNone) return nullptr;
  Communicator& communicator = g_communicators[operation.communicator];
  if (!record::is_message(operation.call)) return &communicator.collectives;
  return find_pair(pair_key(communicator, operation.peer, operation.call == Call::recv));
}

std::uint64_t launch_slot(std::uint32_t index, Call call, CallCount* count) {
  if (count == nullptr) return 0;
  if (record::is_message(call)) {
    // As below: the box shows the count before the operation is launched.
    if (index_of(count) < record::kPairs) writer().count_message(index_of(count));
    return launched(count->fetch_add(kLaunched - kAnnounced));
  }
  if (g_communicators[index].entry.size == 1) [[unlikely]]
    return launch_copy(index, *count);
  const std::uint64_t before = count->load(std::memory_order_relaxed);
  count->store(before + kLaunched - kAnnounced, std::memory_order_relaxed);
  // The box shows this before the operation is launched. A reader in between takes this rank to be
  // past the slot. That does no harm: the calling thread can act, so nothing is concluded.
  record::store_release(writer().box().communicators[index].next_slot, launched(before) + 1);
  return launched(before);
}

void drop_slot(const record::OperationEntry& failed, std::uint8_t result, bool may_connect) {
  if (failed.communicator == kNone) return;
  Communicator& communicator = g_communicators[failed.communicator];
  if (CallCount* count = count_of(failed)) count->fetch_sub(kAnnounced);
  if (may_connect && record::is_collective(failed.call)) {
    communicator.connected[static_cast<int>(failed.call)].fetch_and(~size_class(failed.count));
  }
  if (result >= record::kCaptured) return;
  record::CommunicatorEntry& shown = writer().box().communicators[failed.communicator];
  record::store_release(shown.failure, record::pack_failure(failed.call, result,
                                                            record::load_relaxed(shown.next_slot)));
}

void settle_lost_collectives(std::uint32_t index, std::uint32_t lost, bool launched) {
  CallCount& count = g_communicators[index].collectives;
  const std::uint64_t before = count.load(std::memory_order_relaxed);
  if (!launched) return count.store(before - lost * kAnnounced, std::memory_order_relaxed);
  const std::uint64_t after = before + lost * (kLaunched - kAnnounced);
  count.store(after, std::memory_order_relaxed);
  record::store_release(writer().box().communicators[index].next_slot, recorder::launched(after));
}

}  // namespace gridlock::recorder
