// Delays ranks from outside: now and then, one of them is stopped for a moment.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <thread>

#include "harness/base/limits.h"

namespace gridlock::run {

// How ranks have been delayed so far.
struct Delayed {
  int count = 0;
  Duration total{};  // how long processes were stopped, together
};

// On its own thread, over and over: stops (SIGSTOP) a random process below this one for a random
// time, continues it (SIGCONT), and then leaves all processes alone for a while.
//
// A stopped rank makes no progress and is not to blame for it. Each of K agents stops one process
// at a time, for 1 / (2K) of the time, so for half of the time no process is stopped on any host.
// In a span T, an agent takes at most T / (2K) plus the rest of a delay D, D (2K - 1) / (2K). All K
// agents leave (T - D (2K - 1)) / 2, which is L if T = 2 L + (2K - 1) D. So with with_delays(L, K)
// in place of a limit L on how long ranks get to act, delays alone cause no stall and break no
// assumption. It allows for delays of twice the intended length, because the thread that ends one
// may not get a core at once.
class Delays {
 public:
  //   agents   that do this at the same time, each to its own ranks
  Delays(std::uint64_t seed, int agents);
  Delays(const Delays&) = delete;
  Delays& operator=(const Delays&) = delete;
  //   Blocks   until the stopped process is continued, at most kLongestDelay
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
