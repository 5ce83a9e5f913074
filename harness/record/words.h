// Copies a box's entries word by word, so that two processes may access one at the same time
// without a data race. The sequence words tell whether the words that were read belong together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace gridlock::record {

// `T` without its first member, the sequence word.
template <class T>
constexpr std::size_t kGuardedWords = sizeof(T) / sizeof(std::uint64_t) - 1;

template <class T>
T load_relaxed(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
template <class T>
T load_acquire(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}
template <class T>
void store_release(T& word, std::type_identity_t<T> value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

// Raises a progress word, which holds a position modulo 2^32 and only grows. The device may write a
// later one at any time.
inline void raise_position(std::uint32_t& word, std::uint32_t position) {
  constexpr std::uint32_t kHalf = 0x80000000U;
  std::uint32_t seen = load_acquire(word);
  while (position != seen && position - seen < kHalf &&
         !__atomic_compare_exchange_n(&word, &seen, position, false, __ATOMIC_RELEASE,
                                      __ATOMIC_ACQUIRE)) {
  }
}

// Copies what follows the sequence word of `entry` into the box.
template <class T>
void store_guarded(T& in_box, const T& entry, std::size_t words = kGuardedWords<T>) {
  static_assert(std::is_trivially_copyable_v<T> && offsetof(T, sequence) == 0);
  auto* to = reinterpret_cast<std::uint64_t*>(&in_box) + 1;
  const auto* from = reinterpret_cast<const char*>(&entry) + sizeof(std::uint64_t);
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word;
    std::memcpy(&word, from + i * sizeof word, sizeof word);
    __atomic_store_n(to + i, word, __ATOMIC_RELAXED);
  }
}

// Copies all of an entry out of the box.
template <class T>
T load_words(const T& in_box) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0);
  std::uint64_t words[sizeof(T) / sizeof(std::uint64_t)];
  const auto* from = reinterpret_cast<const std::uint64_t*>(&in_box);
  for (std::size_t i = 0; i < sizeof(T) / sizeof(std::uint64_t); ++i) {
    words[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
  }
  T entry;
  std::memcpy(&entry, words, sizeof entry);
  return entry;
}

}  // namespace gridlock::record
