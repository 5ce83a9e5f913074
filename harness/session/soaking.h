// The loop of a soak, over controls and fixes.
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

// The variants of `planned` that must not hang: controls and fixes that can run with their ranks.
std::vector<catalogue::Planned> soakable(const std::vector<catalogue::Planned>& planned);

// What is called before a run and after it, if it is set.
struct SoakView {
  std::function<void(const report::Run& planned, const accept::SoakTally&)> begins;
  std::function<void(const report::Run&)> done;
};

// Runs the variants repeatedly in random order, until the time is over or nothing more can run.
// Does not retry a skipped variant.
//   Blocks   for that time, and until the last run is over
accept::Soaking soak(const SoakPlan& plan, const Site& site, Runner& runner,
                     const SoakView& view = {});

}  // namespace gridlock::session
