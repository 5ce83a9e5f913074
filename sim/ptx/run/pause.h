// How a launch that has nothing to do gives its core away: first to whoever is ready, then asleep
// for a part of the time that it has waited already, so that waiting costs little and waking comes
// soon.
#pragma once

#include <cstdint>

namespace sim::ptx {

class Pause {
 public:
  void reset() { since_ = 0; }
  bool idle() const { return since_ != 0; }
  // Sleeps, but not past `wake` (of the monotonic clock, in nanoseconds; 0: none).
  //   Blocks  for 2 ms at most
  void take(std::int64_t wake);

 private:
  std::int64_t since_ = 0;  // when the waiting began
  std::int64_t turns_ = 0;
};

}  // namespace sim::ptx
