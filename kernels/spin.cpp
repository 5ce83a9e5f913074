// The bounded spin on the CPU. It naps between looks, so that many simulated ranks can share a
// core.
#include "kernels/spin.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace gridlock::kernels::cpu {

void spin(std::uint64_t nanoseconds, const int* flag) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kNap{50};
  const std::chrono::nanoseconds bound(std::min(nanoseconds, kSpinLimitNanoseconds));
  const Clock::time_point end = Clock::now() + bound;
  // Other threads, or a copy on another stream, write the flag.
  while (flag == nullptr || __atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
    const Clock::duration left = end - Clock::now();
    if (left <= Clock::duration::zero()) return;
    std::this_thread::sleep_for(std::min<Clock::duration>(left, kNap));
  }
}

}  // namespace gridlock::kernels::cpu
