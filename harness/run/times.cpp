#include "harness/run/times.h"

#include <algorithm>

namespace gridlock::run {
namespace {

double milliseconds_between(std::int64_t begin_ns, std::int64_t end_ns) {
  return static_cast<double>(std::max<std::int64_t>(end_ns - begin_ns, 0)) / 1e6;
}

}  // namespace

void add_times(const Milestones& milestones, Observation& observation) {
  const bool hangs = observation.verdict.outcome == detect::Outcome::deadlock ||
                     observation.verdict.outcome == detect::Outcome::stall;
  observation.moments.begun_ns = milestones.start_ns;
  observation.moments.decided_ns = milestones.decided_ns;
  if (!hangs || !observation.fault.empty()) return;
  const std::int64_t last_ns = std::max(milestones.last_progress_ns, milestones.start_ns);
  observation.moments.last_progress_ns = last_ns;
  observation.moments.proven_ns = milestones.proven_ns;
  if (milestones.initialised_ns != 0) {
    observation.time_to_hang_ms = milliseconds_between(milestones.initialised_ns, last_ns);
  }
  observation.time_to_detect_ms = milliseconds_between(last_ns, milestones.decided_ns);
}

}  // namespace gridlock::run
