// How far another agent's CLOCK_MONOTONIC is ahead of this one's, from the times of a question and
// its answer.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/base/limits.h"

namespace gridlock::agents {

// One question and its answer, each time on the clock of who took it.
struct RoundTrip {
  std::int64_t asked_ns = 0;     // here
  std::int64_t heard_ns = 0;     // there
  std::int64_t answered_ns = 0;  // there
  std::int64_t got_ns = 0;       // here
};

// The shortest round trip tells most: the answer's time lies somewhere in it, so half of what was
// spent on the way is the greatest error. An older one is worth less, because clocks drift.
//   Source   Mills, RFC 5905, section 8 (offset and delay)
class ClockAlignment {
 public:
  // How fast two clocks may drift apart: a second in this many.
  static constexpr std::int64_t kDrift = 10'000;  // 100 ppm

  // Whether it is better than what was known.
  bool add(const RoundTrip& trip);

  // To be added to a time there to have it on the clock here; 0 before the first round trip.
  std::int64_t to_here_ns() const { return to_here_ns_; }
  // By how much that may be wrong at `now_ns`, at most.
  std::int64_t error_ns(std::int64_t now_ns) const;

 private:
  std::int64_t to_here_ns_ = 0;
  std::int64_t error_ns_ = 0;
  std::optional<std::int64_t> measured_ns_;  // when
};

}  // namespace gridlock::agents
