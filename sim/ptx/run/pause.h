// How a launch with nothing to do gives up its core. First it yields. Then it sleeps for a fraction
// of the time waited so far, so waiting costs little and waking is prompt.
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
