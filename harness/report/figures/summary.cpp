// Counts runs, and true and false verdicts.
#include <algorithm>

#include "harness/report/results.h"

namespace gridlock::report {
namespace {

using detect::Outcome;

bool is_hang(Outcome outcome) { return outcome == Outcome::deadlock || outcome == Outcome::stall; }

// If no accepted outcome is a hang, a reported hang is a false positive. If every accepted outcome
// is a hang, any other verdict is a false negative.
int Summary::*truth_of(const Run& run) {
  const Outcome told = run.verdict.outcome;
  const auto& declared = run.expected;
  const bool may_hang = std::any_of(declared.begin(), declared.end(), is_hang);
  const bool must_hang = std::all_of(declared.begin(), declared.end(), is_hang);
  if (is_hang(told)) return may_hang ? &Summary::true_positive : &Summary::false_positive;
  if (must_hang) return &Summary::false_negative;
  const bool may_complete = std::count(declared.begin(), declared.end(), Outcome::completes) > 0;
  if (told == Outcome::completes) {
    return may_complete ? &Summary::true_negative : &Summary::false_negative;
  }
  const bool must_complete = may_complete && declared.size() == 1;
  return must_complete ? &Summary::false_positive : &Summary::true_positive;
}

void count(const Run& run, Summary& summary) {
  ++summary.runs;
  if (run.as_declared) ++summary.as_declared;
  if (run.observer && !run.observer->agrees) ++summary.observer_differs;
  // A watched program declares nothing, so its verdict is neither true nor false.
  if (run.expected.empty()) return;
  if (run.score == kFullScore) ++summary.full_score;
  summary.noise += run.noise.value_or(0);
  ++(summary.*truth_of(run));
}

}  // namespace

Summary summarise(const std::vector<Run>& runs) {
  Summary summary;
  for (const Run& run : runs) {
    switch (run.status) {
      case Status::skipped:
        ++summary.skipped;
        break;
      case Status::error:
        ++summary.errors;
        break;
      case Status::judged:
        count(run, summary);
        break;
    }
  }
  return summary;
}

}  // namespace gridlock::report
