// An acceptance in which one check passes, one fails, one is waived, one is skipped and one is
// open.
#pragma once

#include "tests/harness/accept/checks.h"

namespace gridlock::accept {

inline Acceptance sample() {
  Facts facts{.host = "node-a",
              .backend = "cuda",
              .gpu = "4 x H200",
              .gpus = {{"H200", "GPU-0", "1"}, {"H200", "GPU-1", ""}},
              .baseline = {}};
  Check floor = collective_check(2);
  floor.floors.least = 90e9;
  Check waived = scenario_check("lessons/other@4");
  waived.excuse = Excuse{.kind = Excuse::Kind::waived, .why = "known (until 2027-01-31)"};
  Check unneeded = scenario_check("lessons/third@4");
  unneeded.needed = false;
  Acceptance acceptance;
  acceptance.context.host = "node-a";
  acceptance.context.backend = "cuda";
  acceptance.context.date = "2026-11-21T10:00:00Z";
  acceptance.profile = "node";
  acceptance.summary = "all GPUs";
  acceptance.digest = "abc";
  acceptance.results = {
      judge(scenario_check(), {good_run()}, facts), judge(floor, {measured_run({100, 50})}, facts),
      judge(waived, {bad_run(detect::Outcome::deadlock)}, facts), not_run(unneeded, "needs 8 GPUs"),
      not_run(scenario_check("lessons/open@4"), "no time")};
  acceptance.planned = 5;
  return acceptance;
}

}  // namespace gridlock::accept
