// Stores in the order that keeps a box valid.
#include "harness/record/writer.h"

#include <algorithm>

#include "harness/record/words.h"

namespace gridlock::record {
namespace {

constexpr std::size_t kCommunicatorWords = offsetof(CommunicatorEntry, next_slot) / 8 - 1;
constexpr std::size_t kOperationWords = offsetof(OperationEntry, padding) / 8 - 1;
constexpr std::size_t kStreamWords = offsetof(StreamEntry, enqueued) / 8 - 1;

void grow(std::uint32_t& count, std::uint32_t wanted) {
  std::uint32_t seen = load_relaxed(count);
  while (seen < wanted && !__atomic_compare_exchange_n(&count, &seen, wanted, true,
                                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

void raise(std::uint64_t& word, std::uint64_t value) {
  std::uint64_t seen = load_relaxed(word);
  while (seen < value && !__atomic_compare_exchange_n(&word, &seen, value, true, __ATOMIC_RELEASE,
                                                      __ATOMIC_RELAXED)) {
  }
}

template <class T>
void put_guarded(T& in_box, const T& entry, std::size_t words = kGuardedWords<T>) {
  const std::uint64_t sequence = load_relaxed(in_box.sequence) & ~std::uint64_t{1};
  __atomic_store_n(&in_box.sequence, sequence + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);  // the odd word before what it guards
  store_guarded(in_box, entry, words);
  store_release(in_box.sequence, sequence + 2);
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
  // Not for the reader's eyes until it is published again.
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
  std::copy(std::begin(given.host), std::end(given.host), header.host);
  std::copy(std::begin(given.backend), std::end(given.backend), header.backend);
  store_release(header.magic, kMagic);
}

void Writer::put(std::uint32_t index, const ThreadEntry& entry) {
  put_guarded(box_->threads[index], entry);
  grow(box_->header.threads, index + 1);
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

std::uint64_t Writer::add(OperationEntry& entry, bool chained) {
  const std::uint64_t index = __atomic_fetch_add(&box_->header.operations, 1, __ATOMIC_ACQ_REL);
  OperationEntry& in_box = box_->operations[index % kOperations];
  entry.previous = 0;
  if (chained) {
    entry.previous = __atomic_exchange_n(&chain_[entry.stream], index + 1, __ATOMIC_ACQ_REL);
  }
  __atomic_store_n(&in_box.sequence, 2 * index + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  store_guarded(in_box, entry, kOperationWords);
  store_release(in_box.sequence, 2 * index + 2);
  if (chained) raise(box_->streams[entry.stream].last_operation, index + 1);
  return index;
}

void Writer::change_position(std::uint64_t index, std::uint64_t position) {
  OperationEntry& in_box = box_->operations[index % kOperations];
  std::uint64_t complete = 2 * index + 2;
  if (!__atomic_compare_exchange_n(&in_box.sequence, &complete, 2 * index + 1, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    return;
  }
  __atomic_store_n(&in_box.position, position, __ATOMIC_RELAXED);
  store_release(in_box.sequence, 2 * index + 2);
}

OperationEntry Writer::operation(std::uint64_t index) const {
  return load_words(box_->operations[index % kOperations]);
}

}  // namespace gridlock::record
