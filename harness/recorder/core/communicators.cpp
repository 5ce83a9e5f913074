// Communicator entries and slots.
#include "harness/recorder/core/communicators.h"

#include <atomic>
#include <bit>

#include "harness/record/words.h"
#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/communicator_ids.h"
#include "harness/recorder/core/connects.h"
#include "harness/recorder/core/fixed_map.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams.h"
#include "harness/recorder/core/vendor.h"

namespace gridlock::recorder {
namespace {

using record::Call;
using record::CommunicatorState;
using record::kCommunicators;
using record::kNone;

struct Communicator {
  record::CommunicatorEntry entry;
  std::uint64_t count = 0;  // where its id is counted; 0: nowhere
  std::uint32_t parent = kNone;
  bool blocking = true;
  CallCount collectives = 0;
  std::atomic<std::uint32_t> children = 0;
  std::atomic<std::uint64_t> connected[static_cast<int>(Call::scatter) + 1] = {};
};

Communicator g_communicators[kCommunicators];
std::uint32_t g_count = 0;
std::uint64_t g_serial = 0;
std::atomic_flag g_adding = ATOMIC_FLAG_INIT;
FixedMap<1024> g_index;   // handle -> index
FixedMap<65536> g_pairs;  // (communicator, peer, direction) -> 1 + index in g_messages
constexpr std::uint32_t kMostPairs = 65536;
CallCount g_messages[kMostPairs];
std::atomic<bool> g_pair_used[kMostPairs];  // the first kPairs stand in the box
std::atomic<std::uint32_t> g_pairs_in_use = 0;
std::atomic<std::uint32_t> g_next_pair = 0;  // where to look for a free one first
std::atomic_flag g_adding_pair = ATOMIC_FLAG_INIT;
FixedMap<1024> g_lost;                      // handles of communicators that have no entry
thread_local bool t_found_no_room = false;  // for the communicator that this thread makes

// Of a CallCount: what was launched is above what is announced besides.
constexpr int kAnnouncedBits = 24;
constexpr std::uint64_t kAnnounced = 1;
constexpr std::uint64_t kLaunched = std::uint64_t{1} << kAnnouncedBits;

std::uint64_t launched(std::uint64_t count) { return count >> kAnnouncedBits; }
std::uint64_t next(std::uint64_t count) { return launched(count) + count % kLaunched; }

Nccl<ncclResult_t(ncclComm_t, int*)> g_count_of("pncclCommCount");
Nccl<ncclResult_t(ncclComm_t, int*)> g_rank_of("pncclCommUserRank");
Nccl<ncclResult_t(int*)> g_version("pncclGetVersion");
Nccl<std::size_t()> g_buffer_bytes("simBufferBytes");  // NCCL does not say

std::uint64_t key_of(ncclComm_t handle) { return reinterpret_cast<std::uint64_t>(handle); }

void show(std::uint32_t index) { writer().put(index, g_communicators[index].entry); }

bool is_over(CommunicatorState state) {
  return state == CommunicatorState::closed || state == CommunicatorState::aborted;
}

std::uint64_t pair_key(const Communicator& communicator, int peer, bool receives) {
  return record::pack_pair(communicator.entry.serial, peer, receives);
}

CallCount* find_pair(std::uint64_t key) {
  const auto* found = g_pairs.find(key);
  return found == nullptr ? nullptr : &g_messages[found->load() - 1];
}

// Where the box shows what was counted; kPairs and above: nowhere.
std::uint32_t index_of(const CallCount* count) {
  return static_cast<std::uint32_t>(count - g_messages);
}

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
  // The next one goes where it is shown.
  if (at < g_next_pair.load(std::memory_order_relaxed)) g_next_pair.store(at);
}

// A reader that misses pairs of a communicator sees that its serial has changed: that comes first.
void remove_pairs(std::uint64_t serial, int size) {
  for (int peer = 0; peer < size; ++peer) {
    for (const bool receives : {false, true})
      remove_pair(record::pack_pair(serial, peer, receives));
  }
}

// Pairs stay as long as their communicator's entry does, for who may still wait for what was sent.
void reclaim_pairs() {
  while (g_adding.test_and_set(std::memory_order_acquire)) {
  }
  for (std::uint32_t i = 0; i < g_count; ++i) {
    record::CommunicatorEntry& entry = g_communicators[i].entry;
    if (!is_over(entry.state) || entry.serial == 0) continue;
    const std::uint64_t serial = entry.serial;
    entry.serial = 0;
    show(i);
    remove_pairs(serial, entry.size);
  }
  g_adding.clear(std::memory_order_release);
}

// The first message of a pair.
[[gnu::noinline, gnu::cold]] CallCount* add_pair(std::uint64_t key) {
  while (g_adding_pair.test_and_set(std::memory_order_acquire)) {
  }
  CallCount* count = find_pair(key);  // another thread may have been first
  if (count == nullptr && g_pairs_in_use.load() >= record::kPairs) reclaim_pairs();
  const std::uint32_t at = count == nullptr ? take_free_pair() : kNone;
  if (at != kNone) {
    g_messages[at] = 0;
    if (at < record::kPairs) writer().put_pair(at, key);
    if (g_pairs.set(key, at + 1)) count = &g_messages[at];
  }
  if (count == nullptr || index_of(count) >= record::kPairs) {
    __atomic_fetch_add(&writer().box().header.lost_pairs, 1, __ATOMIC_RELEASE);
  }
  g_adding_pair.clear(std::memory_order_release);
  return count;
}

std::uint32_t& lost_communicators() { return writer().box().header.lost_communicators; }

// The call that should have made it was refused: it never was.
void forget_entry(std::uint32_t index) {
  g_communicators[index].entry = {};
  g_communicators[index].entry.rank = -1;
  g_communicators[index].entry.state = CommunicatorState::closed;
  show(index);
}

// An attempt that failed is repeated.
void forget_attempts(const Opening& opening) {
  for (std::uint32_t i = 0; i < g_count; ++i) {
    const record::CommunicatorEntry& entry = g_communicators[i].entry;
    const bool same = entry.id == opening.id && entry.rank == opening.rank;
    if (same && is_over(entry.state) && opening.call == Call::comm_init) forget_entry(i);
  }
}

std::uint32_t free_entry() {
  if (g_count < kCommunicators) return g_count++;
  for (std::uint32_t i = 0; i < kCommunicators; ++i) {
    if (is_over(g_communicators[i].entry.state)) return i;
  }
  return kNone;
}

// Which connections a collective needs depends on the algorithm, that on its kind and size.
std::uint64_t size_class(std::uint64_t count) {
  return std::uint64_t{1} << (std::bit_width(count) % 64);
}

void find_parameters() {
  if (g_buffer_bytes.get() != nullptr) {
    record::store_release(writer().box().header.buffer_bytes, g_buffer_bytes.get()());
  }
  std::int32_t& shown = writer().box().header.nccl_version;
  int version = 0;
  if (record::load_relaxed(shown) != 0 || g_version.get() == nullptr) return;
  if (g_version.get()(&version) == ncclSuccess) record::store_release(shown, version);
}

std::uint32_t device_of(const Opening& opening) {
  if (opening.mpi) return 0;
  return opening.parent == kNone ? current_device() : communicator_device(opening.parent);
}

}  // namespace

Child next_child(std::uint32_t parent) {
  Communicator& communicator = g_communicators[parent];
  return {.parent = communicator.entry.id, .number = communicator.children++};
}

std::uint32_t open_communicator(const Opening& opening) {
  if (!opening.mpi) find_parameters();
  const std::uint32_t device = device_of(opening);  // asks CUDA: before the lock
  while (g_adding.test_and_set(std::memory_order_acquire)) {
  }
  forget_attempts(opening);
  const std::uint32_t index = free_entry();
  if (index != kNone) {
    Communicator& communicator = g_communicators[index];
    communicator.count = opening.count;
    communicator.collectives = 0;
    communicator.children = 0;
    for (auto& sizes : communicator.connected) sizes = 0;
    record::CommunicatorEntry& entry = communicator.entry;
    const record::CommunicatorEntry before = entry;
    entry = {};
    entry.serial = ++g_serial;
    entry.id = opening.id;
    entry.first_operation = record::load_relaxed(writer().box().header.operations);
    entry.calls = 1;
    entry.size = opening.size;
    entry.rank = opening.rank;
    entry.device = device;
    entry.mpi = opening.mpi ? 1 : 0;
    entry.state = CommunicatorState::initialising;
    entry.last_call = opening.call;
    communicator.parent = opening.parent;
    // A child without a configuration has its parent's.
    communicator.blocking = opening.config == nullptr
                                ? opening.parent == kNone || is_blocking(opening.parent)
                                : opening.config->blocking != 0;
    // Configurations of older versions are shorter.
    if (opening.config != nullptr && opening.config->commName != nullptr &&
        opening.config->size >= offsetof(ncclConfig_t, commName) + sizeof(const char*)) {
      entry.name = record::Text<56>(opening.config->commName);
    }
    record::store_release(writer().box().communicators[index].next_slot, 0);
    record::store_release(writer().box().communicators[index].failure, 0);
    record::store_release(writer().box().communicators[index].uncertain, 0);
    show(index);
    if (before.serial != 0) remove_pairs(before.serial, before.size);
  } else {
    t_found_no_room = true;
    __atomic_fetch_add(&lost_communicators(), 1, __ATOMIC_RELAXED);
  }
  g_adding.clear(std::memory_order_release);
  return index;
}

void joined(std::uint32_t index, int size, int rank) {
  if (index == kNone) return;
  record::CommunicatorEntry& entry = g_communicators[index].entry;
  entry.size = size;
  entry.rank = rank;
  entry.state = CommunicatorState::ready;
  show(index);
}

void rename(std::uint32_t index, const char* name) {
  if (index == kNone || name == nullptr) return;
  g_communicators[index].entry.name = record::Text<56>(name);
  show(index);
}

std::uint64_t communicator_id(std::uint32_t index) {
  return index == kNone ? 0 : g_communicators[index].entry.id;
}

std::uint32_t parent_of(std::uint32_t index) {
  return index == kNone ? kNone : g_communicators[index].parent;
}

Membership membership(std::uint32_t index) {
  if (index == kNone) return {};
  const record::CommunicatorEntry& entry = g_communicators[index].entry;
  return {.size = entry.size, .rank = entry.rank};
}

std::uint64_t hand_out_slot(std::uint32_t index) {
  // Shown before the operation is in the ring, as in launch_slot.
  return __atomic_fetch_add(&writer().box().communicators[index].next_slot, 1, __ATOMIC_RELEASE);
}

void mark_uncertain(std::uint32_t index) {
  if (index != kNone) record::store_release(writer().box().communicators[index].uncertain, 1);
}

void place_on_device(std::uint32_t communicator, int device) {
  if (communicator == kNone) return;
  g_communicators[communicator].entry.device = static_cast<std::uint32_t>(device);
  show(communicator);
}

void name_communicator(std::uint32_t communicator, ncclComm_t handle) {
  if (communicator != kNone && handle != nullptr) g_index.set(key_of(handle), communicator);
}

bool note_lost(ncclComm_t handle) {
  if (g_lost.find(key_of(handle)) != nullptr) return false;
  g_lost.set(key_of(handle), 1);
  __atomic_fetch_add(&lost_communicators(), 1, __ATOMIC_RELAXED);
  return true;
}

bool forget_lost(ncclComm_t handle) {
  if (g_lost.find(key_of(handle)) == nullptr) return false;
  g_lost.remove(key_of(handle));
  return true;
}

void is_gone_with_what_was_lost() {
  __atomic_fetch_sub(&lost_communicators(), 1, __ATOMIC_RELEASE);
}

void settled(std::uint32_t index, ncclComm_t handle, ncclResult_t result) {
  if (index == kNone || result == ncclInProgress) return;
  Communicator& communicator = g_communicators[index];
  if (communicator.entry.state != CommunicatorState::initialising) return;
  if (result != ncclSuccess && communicator.count != 0) take_back_id(communicator.count);
  // A wrong argument is refused before the other members hear of it. Any other error may be one
  // that they found together (two ranks on one device), so this member has come.
  if (result == ncclInvalidArgument) return forget_entry(index);
  communicator.entry.state =
      result == ncclSuccess ? CommunicatorState::ready : CommunicatorState::aborted;
  if (result == ncclSuccess && communicator.entry.size == 0 && handle != nullptr &&
      g_count_of.get() != nullptr) {
    g_count_of.get()(handle, &communicator.entry.size);
    g_rank_of.get()(handle, &communicator.entry.rank);
  }
  show(index);
  std::int64_t& initialised = writer().box().header.initialised_ns;
  if (result == ncclSuccess && record::load_relaxed(initialised) == 0) {
    record::store_release(initialised, now_ns());
  }
}

namespace {

// It is lost for as long as it is there. One that a group makes has no handle yet, and stays lost.
void opened_without_room(ncclComm_t handle) {
  if (!t_found_no_room || handle == nullptr) return;
  t_found_no_room = false;
  g_lost.set(key_of(handle), 1);
}

}  // namespace

void opened(std::uint32_t index, ncclComm_t handle, ncclResult_t result) {
  if (index == kNone) return opened_without_room(handle);
  name_communicator(index, handle);
  // A communicator that does not block says by its async error when it is ready.
  const bool later = !is_blocking(index) && result == ncclSuccess;
  if (!later) settled(index, handle, result);
}

void note_call(std::uint32_t index, Call call) {
  if (index == kNone) return;
  record::CommunicatorEntry& entry = g_communicators[index].entry;
  ++entry.calls;
  entry.last_call = call;
  show(index);
}

void take_back_split(std::uint32_t index) {
  if (index == kNone) return;
  Communicator& communicator = g_communicators[index];
  --communicator.children;
  --communicator.entry.calls;
  show(index);
}

void note_failure(std::uint32_t index, Call call, std::uint8_t result) {
  if (index == kNone) return;
  record::CommunicatorEntry& shown = writer().box().communicators[index];
  record::store_release(shown.failure,
                        record::pack_failure(call, result, record::load_relaxed(shown.next_slot)));
}

Standing standing(std::uint32_t index) {
  if (index == kNone) return {};
  const record::CommunicatorEntry& entry = g_communicators[index].entry;
  return {.state = entry.state, .last_call = entry.last_call};
}

void take_back_call(std::uint32_t index, const Standing& before) {
  if (index == kNone) return;
  record::CommunicatorEntry& entry = g_communicators[index].entry;
  --entry.calls;
  entry.last_call = before.last_call;
  entry.state = before.state;
  show(index);
}

void change_state(std::uint32_t index, CommunicatorState state) {
  if (index == kNone) return;
  g_communicators[index].entry.state = state;
  show(index);
}

void forget_communicator(ncclComm_t handle) {
  const auto* found = g_index.find(key_of(handle));
  if (found == nullptr) return;
  g_index.remove(key_of(handle));
}

std::uint32_t communicator_index(ncclComm_t handle) {
  const auto* found = handle == nullptr ? nullptr : g_index.find(key_of(handle));
  return found == nullptr ? kNone : static_cast<std::uint32_t>(found->load());
}

std::uint32_t communicator_device(std::uint32_t index) {
  return index == kNone ? current_device() : g_communicators[index].entry.device;
}

bool is_blocking(std::uint32_t index) { return index == kNone || g_communicators[index].blocking; }

Slot announce_slot(std::uint32_t index, Call call, int peer, std::uint64_t count) {
  if (index == kNone) return {};
  Communicator& communicator = g_communicators[index];
  if (record::is_message(call)) {
    const std::uint64_t key = pair_key(communicator, peer, call == Call::recv);
    CallCount* messages = find_pair(key);
    if (messages == nullptr) [[unlikely]]
      messages = add_pair(key);
    const std::uint64_t number = messages == nullptr ? 0 : next(messages->fetch_add(kAnnounced));
    return {.number = number,
            .may_connect = number == 0 && connects(call) != Connects::never,
            .count = messages};
  }
  // NCCL forbids two calls on a communicator at once.
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
    // As below, it is shown before the operation is launched.
    if (index_of(count) < record::kPairs) writer().count_message(index_of(count));
    return launched(count->fetch_add(kLaunched - kAnnounced));
  }
  const std::uint64_t before = count->load(std::memory_order_relaxed);
  count->store(before + kLaunched - kAnnounced, std::memory_order_relaxed);
  // Shown before the operation is launched. A reader in between takes it to be past the slot, which
  // holds nobody: the thread that calls can act, so nothing is concluded from it.
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

void launch_all_announced(std::uint32_t index) {
  const auto settle = [](CallCount& count) {
    const std::uint64_t before = count.load();
    count.store(next(before) << kAnnouncedBits);
    return next(before);
  };
  Communicator& communicator = g_communicators[index];
  record::store_release(writer().box().communicators[index].next_slot,
                        settle(communicator.collectives));
  for (int peer = 0; peer < communicator.entry.size; ++peer) {
    for (const bool receives : {false, true}) {
      CallCount* count = find_pair(pair_key(communicator, peer, receives));
      if (count == nullptr) continue;
      const std::uint64_t messages = settle(*count);
      if (index_of(count) < record::kPairs) writer().set_messages(index_of(count), messages);
    }
  }
}

}  // namespace gridlock::recorder
