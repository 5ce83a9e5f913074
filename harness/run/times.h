// The figures of a run's course: when it hung, and how long it took to say so.
#pragma once

#include <cstdint>

#include "harness/run/job.h"

namespace gridlock::run {

// Of the monotonic clock, in nanoseconds; 0: not come to.
struct Milestones {
  std::int64_t start_ns = 0;
  std::int64_t initialised_ns = 0;  // a first communicator was ready
  std::int64_t last_progress_ns = 0;
  std::int64_t proven_ns = 0;
  std::int64_t decided_ns = 0;
};

// Times to hang and to detect are those of a hang that the watch itself did not fail on.
void add_times(const Milestones& milestones, Observation& observation);

}  // namespace gridlock::run
