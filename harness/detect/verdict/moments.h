// When a run came to its turns, on the clock that the black boxes use.
#pragma once

#include <cstdint>

namespace gridlock::detect {

// CLOCK_MONOTONIC of the agent that watched, in ns; 0: it never came to that.
struct Moments {
  std::int64_t begun_ns = 0;          // the agent began to start the ranks
  std::int64_t last_progress_ns = 0;  // nothing moved after it
  std::int64_t decided_ns = 0;        // the verdict was given
  std::int64_t ended_ns = 0;          // no process was left
};

}  // namespace gridlock::detect
