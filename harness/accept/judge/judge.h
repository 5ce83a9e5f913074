// From the runs of a check to its answer: a pure function.
#pragma once

#include <vector>

#include "harness/accept/judge/baseline.h"
#include "harness/accept/result.h"

namespace gridlock::accept {

// What the judge knows about the machine.
struct Facts {
  std::string host;
  std::string backend;
  std::string gpu;        // as the context names it: "8 x NVIDIA H200"
  std::vector<Gpu> gpus;  // that the ranks may use, of all nodes; empty on the simulation
  std::optional<Baseline> baseline;
};

// Whether ranks of the check must take turns on a GPU.
inline bool shares_gpus(const Check& check, const Facts& facts) {
  const std::size_t gpus = facts.gpus.size();
  return gpus > 0 && static_cast<std::size_t>(check.ranks) > gpus;
}

// The figure, by rank, in which the collective benchmark reports its bus bandwidth, bytes/s.
constexpr const char* kBusBandwidth = "busbw_bytes_per_s";
// The figure in which the mini trainer reports its speed-up over one rank.
constexpr const char* kSpeedUp = "speed_up";
// The figures that a soak reports, once: all its runs, false alarms, other runs not as declared,
// and runs that could not be judged.
constexpr const char* kSoakRuns = "soak_runs";
constexpr const char* kFalseAlarms = "false_alarms";
constexpr const char* kOtherFailures = "other_failures";
constexpr const char* kUnjudged = "unjudged";

// `runs` are the check's, in order; at least one. Runs that the check's limit cut off are not among
// them (execute.h).
//
// Scenarios: as declared in all runs is a pass, in no run a fail. In some runs it is flaky, so
// inconclusive, but wrong numbers or a crash in one run is a fail.
//
// Benchmarks: a run that hangs, fails or gives wrong numbers is a fail. A run's figure is the
// median over its ranks. In `pair` and `copy`, each rank has its own figure, so the slowest rank's
// counts. All runs at or above the floor are a pass, and all below it a fail. Otherwise the check
// is too noisy, so inconclusive. If the true median were on the other side of the floor, the chance
// of n runs on one side would be 2^-n (sign test, Dixon and Mood 1946). An outlier (outliers.h)
// must be the same rank in all runs.
Result judge(const Check& check, const std::vector<report::Run>& runs, const Facts& facts);

// The result of a check that was not run.
Result not_run(const Check& check, const std::string& why);

}  // namespace gridlock::accept
