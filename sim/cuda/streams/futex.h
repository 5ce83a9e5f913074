// Sleeping on a word, without the cost of a lock if no thread sleeps.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace sim {

// Sleeps while `word` is `expected`. May return early. Leaves errno, which is the program's.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  const int before = errno;
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr,
          nullptr, 0);
  errno = before;
}

inline void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
          nullptr, 0);
}

// A mutex that is held for a few instructions at a time. Locking and unlocking take one inlined
// atomic operation each.
class Lock {
 public:
  void lock() {
    std::uint32_t seen = kFree;
    if (word_.compare_exchange_strong(seen, kTaken, std::memory_order_acquire)) [[likely]]
      return;
    while (word_.exchange(kWaitedFor, std::memory_order_acquire) != kFree) {
      futex_wait(word_, kWaitedFor);
    }
  }
  void unlock() {
    if (word_.exchange(kFree, std::memory_order_release) == kWaitedFor) futex_wake(word_);
  }

 private:
  enum : std::uint32_t { kFree, kTaken, kWaitedFor };
  std::atomic<std::uint32_t> word_{kFree};
};

}  // namespace sim
