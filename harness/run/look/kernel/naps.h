// Threads that wake up by the clock, look for work, and sleep again.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "harness/base/duration.h"
#include "harness/record/sleep.h"

namespace gridlock::run {

// For how long one may be awake that has woken for a glance.
constexpr Duration kGlance = 10ms;

class Naps {
 public:
  // How a thread sleeps that no box shows, at `now_ns`. If it runs, and slept by the clock when it
  // was last seen asleep, it counts as it did then, for kGlance from when it was first seen awake.
  record::Sleep look(std::int64_t tid, record::Sleep sleep, std::int64_t now_ns);

 private:
  struct Nap {
    record::Sleep sleep;
    std::int64_t woke_ns = 0;  // 0: it has not been seen awake
  };
  std::unordered_map<std::int64_t, Nap> naps_;  // by thread
};

}  // namespace gridlock::run
