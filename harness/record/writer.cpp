// Writes in the order that keeps a box valid.
#include "harness/record/writer.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "harness/record/words.h"

namespace gridlock::record {
namespace {

constexpr std::size_t kCommunicatorWords = offsetof(CommunicatorEntry, failure) / 8 - 1;
constexpr std::size_t kStreamWords = offsetof(StreamEntry, enqueued) / 8 - 1;

void grow(std::uint32_t& count, std::uint32_t wanted) {
  std::uint32_t seen = load_relaxed(count);
  while (seen < wanted && !__atomic_compare_exchange_n(&count, &seen, wanted, true,
                                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

// Runs `store`, which changes what the sequence word guards.
template <class T, class Store>
void guarded(T& in_box, Store store) {
  const std::uint64_t sequence = load_relaxed(in_box.sequence) & ~std::uint64_t{1};
  __atomic_store_n(&in_box.sequence, sequence + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);  // the odd word before what it guards
  store();
  store_release(in_box.sequence, sequence + 2);
}

template <class T>
void put_guarded(T& in_box, const T& entry, std::size_t words = kGuardedWords<T>) {
  guarded(in_box, [&] { store_guarded(in_box, entry, words); });
}

// Prefetches the next operation's entry, which was last touched thousands of operations ago.
void fetch(const OperationEntry& entry) {
  constexpr std::size_t kCacheLine = 64;
  for (std::size_t at = 0; at < sizeof entry; at += kCacheLine) {
    __builtin_prefetch(reinterpret_cast<const char*>(&entry) + at, 1);
  }
}

}  // namespace

bool Writer::claim(std::int64_t pid, std::int64_t stale_pid) {
  Header& header = box_->header;
  std::int64_t owner = 0;
  if (__atomic_compare_exchange_n(&header.pid, &owner, pid, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    return true;
  }
  if (owner != stale_pid || !__atomic_compare_exchange_n(&header.pid, &owner, pid, false,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return false;
  }
  // Hides the box from readers until it is published again.
  store_release(header.magic, 0);
  auto* bytes = reinterpret_cast<char*>(box_);
  constexpr std::size_t kAfterPid = offsetof(Header, start_time);
  std::fill(bytes + kAfterPid, bytes + sizeof(Box), '\0');
  return true;
}

void Writer::publish(const Header& given) {
  Header& header = box_->header;
  header.version = kVersion;
  header.box_size = sizeof(Box);
  header.start_time = given.start_time;
  header.rank = given.rank;
  header.world_size = given.world_size;
  header.local_rank = given.local_rank;
  header.nccl_version = given.nccl_version;
  header.claimed_monotonic_ns = given.claimed_monotonic_ns;
  header.claimed_realtime_ns = given.claimed_realtime_ns;
  header.program = given.program;
  header.buffer_bytes = given.buffer_bytes;
  std::copy(std::begin(given.host), std::end(given.host), header.host);
  std::copy(std::begin(given.backend), std::end(given.backend), header.backend);
  store_release(header.magic, kMagic);
}

void Writer::say_mpi(const Text<64>& which) {
  // Writes the last word first, so that the text begins only when all of it is there.
  constexpr std::size_t kWords = sizeof which / sizeof(std::uint64_t);
  std::uint64_t words[kWords];
  std::memcpy(words, &which, sizeof which);
  auto* to = reinterpret_cast<std::uint64_t*>(&box_->header.mpi);
  for (std::size_t i = kWords; i-- > 0;) store_release(to[i], words[i]);
}

void Writer::put(std::uint32_t index, const ThreadEntry& entry) {
  put_guarded(box_->threads[index], entry);
  grow(box_->header.threads, index + 1);
}

namespace {

// One word says whether a thread waits, and in which call. While it does not, the other words mean
// nothing.
constexpr std::size_t kAt = offsetof(ThreadEntry, communicator);
static_assert(kAt % 8 == 0);

std::uint64_t& wait_word(ThreadEntry& entry) {
  return reinterpret_cast<std::uint64_t*>(&entry)[kAt / 8];
}

// Of a call that waits on no communicator. Put together in a register: a word that is read right
// after its bytes were written has to wait for them.
constexpr std::uint64_t wait_word(Call call, Waits waits) {
  static_assert(std::endian::native == std::endian::little);
  constexpr unsigned kCallBits = 8 * (offsetof(ThreadEntry, call) - kAt);
  constexpr unsigned kWaitsBits = 8 * (offsetof(ThreadEntry, waits) - kAt);
  static_assert(kCallBits >= 32 && kCallBits < 64 && kWaitsBits >= 32 && kWaitsBits < 64);
  return kNone | static_cast<std::uint64_t>(call) << kCallBits |
         static_cast<std::uint64_t>(waits) << kWaitsBits;
}
constexpr std::uint64_t kRuns = wait_word(Call::none, Waits::nothing);

}  // namespace

void Writer::end_wait(std::uint32_t index) {
  ThreadEntry& in_box = box_->threads[index];
  guarded(in_box, [&] { __atomic_store_n(&wait_word(in_box), kRuns, __ATOMIC_RELAXED); });
}

void Writer::show_thread(std::uint32_t index, std::int64_t tid) {
  __atomic_store_n(&box_->threads[index].tid, tid, __ATOMIC_RELEASE);
}

void Writer::begin_launch(std::uint32_t index, const Launching& launching) {
  ThreadEntry& in_box = box_->threads[index];
  // The reader takes these for what they are once they have stood for a while.
  __atomic_store_n(&in_box.device, launching.device, __ATOMIC_RELAXED);
  __atomic_store_n(&in_box.position, static_cast<std::uint64_t>(launching.time_ns),
                   __ATOMIC_RELAXED);
  __atomic_store_n(&in_box.launches, load_relaxed(box_->header.launches), __ATOMIC_RELAXED);
  store_release(wait_word(in_box), wait_word(launching.call, Waits::device));
}

void Writer::end_launch(std::uint32_t index) {
  store_release(wait_word(box_->threads[index]), kRuns);
}

void Writer::note_asked(std::uint32_t index, std::uint64_t asked, std::int64_t time_ns) {
  __atomic_store_n(&box_->threads[index].asked, asked, __ATOMIC_RELAXED);
  __atomic_store_n(&box_->threads[index].asked_ns, time_ns, __ATOMIC_RELEASE);
}

void Writer::put(std::uint32_t index, const CommunicatorEntry& entry) {
  put_guarded(box_->communicators[index], entry, kCommunicatorWords);
  grow(box_->header.communicators, index + 1);
}

void Writer::put(std::uint32_t index, const StreamEntry& entry) {
  put_guarded(box_->streams[index], entry, kStreamWords);
  grow(box_->header.streams, index + 1);
}

void Writer::put(std::uint32_t index, const ModuleEntry& entry) {
  box_->modules[index] = entry;  // written once, before it counts
  grow(box_->header.modules, index + 1);
}

void Writer::put_pair(std::uint32_t index, std::uint64_t key) {
  store_release(box_->pairs[index].count, 0);
  store_release(box_->pairs[index].key, key);
  grow(box_->header.pairs, index + 1);
}

void Writer::free_pair(std::uint32_t index) { store_release(box_->pairs[index].key, 0); }

void Writer::set_messages(std::uint32_t index, std::uint64_t count) {
  store_release(box_->pairs[index].count, count);
}

void Writer::count_message(std::uint32_t index) {
  __atomic_fetch_add(&box_->pairs[index].count, 1, __ATOMIC_RELEASE);
}

std::uint64_t Writer::add(OperationEntry& entry, bool chained) {
  const std::uint64_t index = load_relaxed(box_->header.operations);
  store_release(box_->header.operations, index + 1);
  OperationEntry& in_box = box_->operations[index % kOperations];
  const std::uint64_t last = chained ? load_relaxed(box_->streams[entry.stream].last_operation) : 0;
  // Anything further back is lost anyway.
  entry.previous =
      last == 0
          ? 0
          : static_cast<std::uint32_t>(std::min<std::uint64_t>(index + 1 - last, kOperations));
  if (entry.launched == 0) entry.called = load_relaxed(box_->header.launches);
  __atomic_store_n(&in_box.sequence, 2 * index + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);  // the odd word before what it guards
  store_guarded(in_box, entry);
  store_release(in_box.sequence, 2 * index + 2);
  // The chain gets an operation only once it is in place.
  if (chained) store_release(box_->streams[entry.stream].last_operation, index + 1);
  fetch(box_->operations[(index + 1) % kOperations]);
  return index;
}

std::uint64_t Writer::next_launch() {
  const std::uint64_t number = load_relaxed(box_->header.launches) + 1;
  store_release(box_->header.launches, number);
  return number;
}

void Writer::launch(std::uint64_t index, const Launch& launch) {
  OperationEntry& in_box = box_->operations[index % kOperations];
  if (load_relaxed(in_box.sequence) != 2 * index + 2) return;
  __atomic_store_n(&in_box.called, launch.called, __ATOMIC_RELAXED);
  __atomic_store_n(&in_box.slot, launch.slot, __ATOMIC_RELAXED);
  __atomic_store_n(&in_box.position, launch.position, __ATOMIC_RELAXED);
  store_release(in_box.launched, launch.launched);  // a reader that sees it sees the others
}

void Writer::set_result(std::uint64_t index, std::uint8_t result) {
  OperationEntry& in_box = box_->operations[index % kOperations];
  if (load_relaxed(in_box.sequence) != 2 * index + 2) return;
  // A byte store: the other bytes of its word do not change.
  __atomic_store_n(&in_box.result, result, __ATOMIC_RELEASE);
}

OperationEntry Writer::operation(std::uint64_t index) const {
  return load_words(box_->operations[index % kOperations]);
}

const OperationEntry* Writer::find(std::uint64_t index) const {
  const OperationEntry& in_box = box_->operations[index % kOperations];
  return load_relaxed(in_box.sequence) == 2 * index + 2 ? &in_box : nullptr;
}

}  // namespace gridlock::record
