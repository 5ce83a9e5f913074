// The time stamp of the record, answered by the vDSO without a system call, and short waits.
#pragma once

#include <sched.h>

#include <cstdint>
#include <ctime>

namespace gridlock::recorder {

inline std::int64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// As of the kernel's last tick, some milliseconds ago, at a quarter of the cost.
inline std::int64_t coarse_now_ns() { return now_ns(CLOCK_MONOTONIC_COARSE); }

// Lets other threads run until `is_so` holds, but not much longer than `most_ns`.
template <class Condition>
void yield_until(Condition is_so, std::int64_t most_ns) {
  if (is_so()) [[likely]]
    return;
  for (const std::int64_t end_ns = now_ns() + most_ns; !is_so() && now_ns() < end_ns;) {
    sched_yield();
  }
}

}  // namespace gridlock::recorder
