// Computes clock offsets from round trips.
#include "harness/agents/clock.h"

#include <algorithm>

namespace gridlock::agents {

bool ClockAlignment::add(const RoundTrip& trip) {
  const std::int64_t there = trip.answered_ns - trip.heard_ns;
  const std::int64_t on_the_way = trip.got_ns - trip.asked_ns - there;
  // A clock went backwards, or the answer took longer than the whole round trip.
  if (there < 0 || on_the_way < 0) return false;
  const std::int64_t error_ns = (on_the_way + 1) / 2;
  if (measured_ns_ && error_ns >= this->error_ns(trip.got_ns)) return false;
  // The middle of both intervals, so that the time spent on the answer cancels out.
  to_here_ns_ = (trip.asked_ns - trip.heard_ns) / 2 + (trip.got_ns - trip.answered_ns) / 2;
  error_ns_ = error_ns;
  measured_ns_ = trip.got_ns;
  return true;
}

std::int64_t ClockAlignment::error_ns(std::int64_t now_ns) const {
  if (!measured_ns_) return 0;
  return error_ns_ + std::max<std::int64_t>(now_ns - *measured_ns_, 0) / kDrift;
}

}  // namespace gridlock::agents
