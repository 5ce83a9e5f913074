// A word in shared memory. A thread sleeps on it until another thread, perhaps in another process,
// has changed what it waits for.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

namespace sim::nccl {

using Milliseconds = std::chrono::milliseconds;

// The sleeper reads `rings`, looks once more at what it waits for, and sleeps while `rings` is
// unchanged. A thread rings after each change, so no ring is lost.
struct Bell {
  std::atomic<std::uint32_t> rings;
  std::atomic<std::uint32_t> waiting;  // what the sleeper waits for, a mask; 0: no thread sleeps
};

// Sleeps while `word` is `expected`, at most `limit`. May return early. Leaves errno, which is the
// program's.
inline void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected, Milliseconds limit) {
  const timespec time{.tv_sec = limit.count() / 1000, .tv_nsec = limit.count() % 1000 * 1'000'000};
  const int before = errno;
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, expected, &time, nullptr,
          0);
  errno = before;
}

// Wakes all threads that sleep at `bell`.
inline void ring(Bell& bell) {
  bell.rings.fetch_add(1);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&bell.rings), FUTEX_WAKE, INT_MAX, nullptr,
          nullptr, 0);
}

// Wakes the one sleeper of `bell` if it waits for any of `reasons`, and costs one load if it does
// not. The sleeper stores `waiting` before its last look: if that look missed the change, this call
// sees `waiting`.
inline void ring_for(Bell& bell, std::uint32_t reasons) {
  if ((bell.waiting.load() & reasons) == 0) return;
  if (bell.waiting.exchange(0) != 0) ring(bell);
}

}  // namespace sim::nccl
