// Groups the runs of one variant with one number of ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/figures/statistics.h"
#include "harness/report/results.h"

namespace gridlock::report {

struct Group {
  std::string name;  // scenario/variant
  std::string role;
  int ranks = 0;
  std::vector<const Run*> runs;
};

// In the order in which they were first run. The groups point into `runs`.
std::vector<Group> groups_of(const std::vector<Run>& runs);

// "scenario/variant", or the scenario alone if there is no variant.
std::string full_name(const Run& run);

// Spread of one figure over the group's runs that have it.
std::optional<Spread> spread_of(const Group& group, std::optional<double> Run::*figure);

struct VerdictCount {
  std::string text;  // "deadlock (missing_rank)", "skipped", "error"
  int runs = 0;
};
// The verdicts of the group's runs, the most frequent first.
std::vector<VerdictCount> verdicts(const Group& group);

// "deadlock (missing_rank)"; "deadlock 97/100, completes 3/100" if repetitions differ.
std::string verdicts_text(const Group& group);

// Runs of the group with the declared verdict, and runs with any verdict.
int as_declared(const Group& group);
int judged(const Group& group);

// Lowest score and highest noise of the group's runs.
std::optional<int> worst_score(const Group& group);
std::optional<int> worst_noise(const Group& group);

}  // namespace gridlock::report
