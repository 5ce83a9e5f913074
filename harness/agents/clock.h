// Computes how far another agent's CLOCK_MONOTONIC is ahead of this one's, from the times of a
// question and its answer.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/base/limits.h"

namespace gridlock::agents {

// One question and its answer. Each time is on the clock of the agent that measured it.
struct RoundTrip {
  std::int64_t asked_ns = 0;     // here
  std::int64_t heard_ns = 0;     // there
  std::int64_t answered_ns = 0;  // there
  std::int64_t got_ns = 0;       // here
};

// The shortest round trip is the most precise: the answer's time lies somewhere in it, so the error
// is at most half of the time on the way. An older round trip is less precise, because clocks
// drift.
//   Source   Mills, RFC 5905, section 8 (offset and delay)
class ClockAlignment {
 public:
  // How fast two clocks may drift apart: a second in this many.
  static constexpr std::int64_t kDrift = 10'000;  // 100 ppm

  // Returns whether `trip` is better than the best so far.
  bool add(const RoundTrip& trip);

  // Add it to a time there to get the time here. 0 before the first round trip.
  std::int64_t to_here_ns() const { return to_here_ns_; }
  // The greatest error of to_here_ns() at `now_ns`.
  std::int64_t error_ns(std::int64_t now_ns) const;

 private:
  std::int64_t to_here_ns_ = 0;
  std::int64_t error_ns_ = 0;
  std::optional<std::int64_t> measured_ns_;  // when
};

}  // namespace gridlock::agents
