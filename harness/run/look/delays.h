// Delays of ranks, made from outside: now and then one of them is stopped for a moment.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <thread>

#include "harness/base/limits.h"

namespace gridlock::run {

// What was done to the ranks so far.
struct Delayed {
  int count = 0;
  Duration total{};  // how long processes were stopped, together
};

// Stops (SIGSTOP) a random process below this one for a random time, lets it go on (SIGCONT), and
// leaves all of them alone, over and over on a thread of its own.
//
// A rank that is stopped makes no progress and is not to blame for it. Each of K agents stops one
// at a time, for 1 of 2K parts of the time; so nobody is stopped, on any host, for half of it. Of a
// span T an agent takes at most T / 2K and what is left of a delay D, D (2K - 1) / 2K; all K leave
// (T - D (2K - 1)) / 2, which is L when T = 2 L + (2K - 1) D. With with_delays(L, K) in place of a
// limit L on how long ranks get to act, delays alone are no stall, and break no assumption. It
// allows for a delay that lasts twice as long as meant: whoever ends it may get no core at once.
class Delays {
 public:
  //   agents   that do this at the same time, each to its own ranks
  Delays(std::uint64_t seed, int agents);
  Delays(const Delays&) = delete;
  Delays& operator=(const Delays&) = delete;
  //   Blocks   until the process that is stopped goes on, at most kLongestDelay
  ~Delays();

  Delayed made() const { return {.count = count_, .total = Duration(total_ns_)}; }

 private:
  void run(const std::stop_token& over, std::uint64_t seed, int agents);

  std::atomic<int> count_ = 0;
  std::atomic<std::int64_t> total_ns_ = 0;
  std::jthread thread_;
};

constexpr Duration with_delays(Duration limit, int agents) {
  return 2 * limit + 2 * (2 * agents - 1) * kLongestDelay;
}

}  // namespace gridlock::run
