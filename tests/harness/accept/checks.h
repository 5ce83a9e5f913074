// Hand-written checks and runs.
#pragma once

#include "harness/accept/judge/judge.h"

namespace gridlock::accept {

inline Check scenario_check(const std::string& id = "lessons/good@4") {
  Check check;
  check.id = id;
  check.ranks = 4;
  check.repeat = 3;
  check.limit = std::chrono::seconds(10);
  check.scenario = "lessons";
  check.variant = "good";
  return check;
}

inline Check collective_check(int ranks = 4) {
  Check check;
  check.id = "pair/1MiB@" + std::to_string(ranks);
  check.kind = Kind::collective;
  check.ranks = ranks;
  check.repeat = 3;
  check.limit = std::chrono::seconds(10);
  check.operation = "pair";
  check.is_a_ranks_own = true;
  check.bytes = 1 << 20;
  return check;
}

inline report::Run good_run(int repetition = 0) {
  report::Run run;
  run.scenario = "lessons";
  run.variant = "good";
  run.role = "control";
  run.repetition = repetition;
  run.ranks = 4;
  run.verdict.outcome = detect::Outcome::completes;
  run.expected = {detect::Outcome::completes};
  run.as_declared = true;
  return run;
}

inline report::Run bad_run(detect::Outcome outcome, int repetition = 0) {
  report::Run run = good_run(repetition);
  run.verdict.outcome = outcome;
  run.verdict.culprits = {2};
  run.verdict.told = "Rank 2 is gone.";
  run.as_declared = false;
  return run;
}

// A run of a benchmark with these bandwidths, GB/s, by rank.
inline report::Run measured_run(std::vector<double> gigabytes, int repetition = 0) {
  report::Run run = good_run(repetition);
  run.role = "watch";
  run.ranks = static_cast<int>(gigabytes.size());
  for (double& value : gigabytes) value *= 1e9;
  run.figures[kBusBandwidth] = std::move(gigabytes);
  return run;
}

}  // namespace gridlock::accept
