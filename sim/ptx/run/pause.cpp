// Yields first, then sleeps for a share of the time waited so far. A round of many spinning warps
// is expensive, so the pause after it lasts many times what the round cost.
#include "sim/ptx/run/pause.h"

#include <sched.h>

#include <algorithm>
#include <ctime>

namespace sim::ptx {
namespace {

// On a busy machine, a thread that sleeps comes back late, and each yield lets others run anyway.
constexpr std::int64_t kNanosecondsOfYielding = 200'000;
constexpr std::int64_t kShare = 8;                        // of the time waited so far
constexpr std::int64_t kMostNanoseconds = 2'000'000;      // of a pause after a cheap round
constexpr std::int64_t kMostAfterExpensive = 50'000'000;  // and after any
constexpr std::int64_t kRoundsCost = 40;                  // a pause is worth this many: 2.5 %

std::int64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

}  // namespace

std::chrono::nanoseconds Pause::next(std::int64_t wake) {
  const std::int64_t time = now(CLOCK_MONOTONIC);
  const std::int64_t used = now(CLOCK_THREAD_CPUTIME_ID);
  const std::int64_t cost = used - used_;  // of the round; the first one is not believed
  used_ = used;
  if (since_ == 0) since_ = time;
  if (time - since_ < kNanosecondsOfYielding) {
    sched_yield();
    return std::chrono::nanoseconds(0);
  }
  const std::int64_t most = std::clamp(cost * kRoundsCost, kMostNanoseconds, kMostAfterExpensive);
  std::int64_t nap = std::min((time - since_) / kShare, most);
  if (wake != 0) nap = std::min(nap, std::max<std::int64_t>(wake - time, 0));
  return std::chrono::nanoseconds(nap);
}

}  // namespace sim::ptx
