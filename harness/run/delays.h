// Delays of ranks, made from outside: now and then one of them is stopped for a moment.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "harness/run/limits.h"

namespace gridlock::run {

// Stops (SIGSTOP) a random process below this one for a random time, lets it go on (SIGCONT), and
// leaves all of them alone for at least as long; over and over on a thread of its own.
//
// A rank that is stopped makes no progress and is not to blame for it. Since at most one is stopped
// at a time, and never for more than half of the time, any span of 2 L and a delay has at least L
// in which nobody is stopped: with with_delays(L) in place of a limit L on how long ranks get to
// act, delays alone are no stall, and break no assumption. It allows for a delay that lasts twice
// as long as meant, because whoever ends it gets no core at once.
class Delays {
 public:
  explicit Delays(std::uint64_t seed);
  Delays(const Delays&) = delete;
  Delays& operator=(const Delays&) = delete;
  //   Blocks   until the process that is stopped goes on, at most kLongestDelay
  ~Delays();

  int count() const { return count_; }
  // How long processes were stopped, together.
  Duration total() const { return Duration(total_ns_); }

 private:
  void run(std::uint64_t seed);

  std::atomic<bool> over_ = false;
  std::atomic<int> count_ = 0;
  std::atomic<std::int64_t> total_ns_ = 0;
  std::thread thread_;
};

constexpr Duration with_delays(Duration limit) { return 2 * limit + 2 * kLongestDelay; }

}  // namespace gridlock::run
