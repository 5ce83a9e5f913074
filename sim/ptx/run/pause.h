// How a launch with nothing to do gives up its core. First it yields. Then it sleeps for a fraction
// of the time waited so far, so waiting costs little and waking is prompt.
#pragma once

#include <chrono>
#include <cstdint>

namespace sim::ptx {

class Pause {
 public:
  void reset() { since_ = 0; }
  bool idle() const { return since_ != 0; }

  // Behind a round in which nothing moved: how long to sleep, but not past `wake` (of the monotonic
  // clock, in nanoseconds; 0: none). At first it gives the core away itself and says 0.
  std::chrono::nanoseconds next(std::int64_t wake);

 private:
  std::int64_t since_ = 0;  // when the waiting began
  std::int64_t used_ = 0;   // processor time of the thread, at the last look
};

}  // namespace sim::ptx
