// Yields first, then sleeps for a share of the time waited so far.
#include "sim/ptx/run/pause.h"

#include <sched.h>

#include <algorithm>
#include <ctime>

namespace sim::ptx {
namespace {

constexpr std::int64_t kMostNanoseconds = 2'000'000;
constexpr std::int64_t kTurnsOfYielding = 16;
constexpr std::int64_t kShare = 8;  // of the time waited so far

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

}  // namespace

void Pause::take(std::int64_t wake) {
  const std::int64_t time = now();
  if (since_ == 0) {
    since_ = time;
    turns_ = 0;
  }
  if (++turns_ <= kTurnsOfYielding) {
    sched_yield();
    return;
  }
  std::int64_t nap = std::min((time - since_) / kShare, kMostNanoseconds);
  if (wake != 0) nap = std::min(nap, std::max<std::int64_t>(wake - time, 0));
  const timespec request{.tv_sec = 0, .tv_nsec = nap};
  nanosleep(&request, nullptr);
}

}  // namespace sim::ptx
