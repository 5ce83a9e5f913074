// When each phase of a run was reached, on the clock that the black boxes use.
#pragma once

#include <cstdint>

namespace gridlock::detect {

// CLOCK_MONOTONIC of the agent that watched, in ns; 0: the run never reached it.
struct Moments {
  std::int64_t begun_ns = 0;          // the agent began to start the ranks
  std::int64_t last_progress_ns = 0;  // of a job that hung: nothing moved after it
  std::int64_t proven_ns = 0;         // two looks had found the same dead ranks
  std::int64_t decided_ns = 0;        // the verdict was given
  std::int64_t killed_ns = 0;         // the agent began to kill what was left
  std::int64_t ended_ns = 0;          // no process was left
};

}  // namespace gridlock::detect
