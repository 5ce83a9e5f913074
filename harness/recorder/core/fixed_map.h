// A map of fixed size from non-zero words to words. Reading and changing existing entries takes no
// lock; only adding and removing take turns. Never allocates.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "harness/recorder/core/hold.h"

namespace gridlock::recorder {

template <std::size_t capacity>
class FixedMap {
  static_assert((capacity & (capacity - 1)) == 0);
  static constexpr std::uint64_t kFree = 0;
  static constexpr std::uint64_t kRemoved = ~std::uint64_t{0};
  struct Slot {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint64_t> value;
  };

 public:
  static constexpr std::size_t kMostKeys = capacity - capacity / 8;

  // Where the value of `key` is, or null. Valid until the key is removed.
  std::atomic<std::uint64_t>* find(std::uint64_t key) {
    for (std::size_t i = 0, at = hash(key); i < capacity; ++i, at = next(at)) {
      const std::uint64_t seen = slots_[at].key.load(std::memory_order_acquire);
      if (seen == key) return &slots_[at].value;
      if (seen == kFree) return nullptr;
    }
    return nullptr;
  }

  // Sets the value of `key`; false if the map is full. An eighth of it stays empty, so that
  // searches stay short.
  bool set(std::uint64_t key, std::uint64_t value) {
    if (std::atomic<std::uint64_t>* found = find(key)) {
      found->store(value, std::memory_order_release);
      return true;
    }
    const Hold hold(busy_);
    if (std::atomic<std::uint64_t>* found = find(key)) {
      found->store(value, std::memory_order_release);
      return true;
    }
    for (std::size_t i = 0, at = hash(key); i < capacity; ++i, at = next(at)) {
      const std::uint64_t seen = slots_[at].key.load(std::memory_order_relaxed);
      if (seen != kFree && seen != kRemoved) continue;
      if (keys_ == kMostKeys) return false;
      ++keys_;
      slots_[at].value.store(value, std::memory_order_relaxed);
      slots_[at].key.store(key, std::memory_order_release);
      return true;
    }
    return false;
  }

  void remove(std::uint64_t key) {
    remove_if(key, [](std::uint64_t) { return true; });
  }
  // Removes `key` unless it has got another value. REQUIRES: who gives it one removes it first
  void remove(std::uint64_t key, std::uint64_t value) {
    remove_if(key, [value](std::uint64_t seen) { return seen == value; });
  }

 private:
  template <class Condition>
  void remove_if(std::uint64_t key, Condition condition) {
    const Hold hold(busy_);
    for (std::size_t i = 0, at = hash(key); i < capacity; ++i, at = next(at)) {
      const std::uint64_t seen = slots_[at].key.load(std::memory_order_relaxed);
      if (seen == kFree) return;
      if (seen != key) continue;
      if (!condition(slots_[at].value.load(std::memory_order_relaxed))) return;
      slots_[at].key.store(kRemoved, std::memory_order_release);
      --keys_;
      // Free removed slots at the end of a chain, so that searches stay short.
      while (slots_[next(at)].key.load(std::memory_order_relaxed) == kFree &&
             slots_[at].key.load(std::memory_order_relaxed) == kRemoved) {
        slots_[at].key.store(kFree, std::memory_order_release);
        at = (at + capacity - 1) % capacity;
      }
      return;
    }
  }

  static std::size_t hash(std::uint64_t key) {
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 32) % capacity;
  }
  static std::size_t next(std::size_t at) { return (at + 1) % capacity; }

  Slot slots_[capacity] = {};
  std::size_t keys_ = 0;  // guarded by busy_
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

}  // namespace gridlock::recorder
