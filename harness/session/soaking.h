// The loop of a soak.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/accept/soak.h"
#include "harness/session/runner.h"

namespace gridlock::session {

struct SoakPlan {
  std::vector<catalogue::Planned> variants;  // controls and fixes that can run
  Duration time{};
  std::uint64_t seed = 0;
  bool delays = true;
};

// The variants of `planned` that should do well: controls and fixes that can run with their ranks.
std::vector<catalogue::Planned> soakable(const std::vector<catalogue::Planned>& planned);

// Runs the variants in random order, again and again, until the time is over or nothing more can
// run. A variant that is skipped is not tried again. `shown` is called after each run.
//   Blocks   for that time, and until the last run is over
accept::Soaking soak(
    const SoakPlan& plan, const Site& site, Runner& runner,
    const std::function<void(const report::Run&, const accept::SoakTally&)>& shown);

}  // namespace gridlock::session
