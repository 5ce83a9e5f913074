// Counting.
#include <algorithm>

#include "harness/report/results.h"

namespace gridlock::report {
namespace {

using detect::Outcome;

void count(const Run& run, Summary& summary) {
  ++summary.runs;
  if (run.as_declared) ++summary.as_declared;
  // A watched program declares nothing, so that nothing can be called true or false of it.
  if (run.expected.empty()) return;
  const bool found = run.verdict.outcome != Outcome::completes;
  const bool may_complete =
      std::count(run.expected.begin(), run.expected.end(), Outcome::completes) > 0;
  const bool must_complete = may_complete && run.expected.size() == 1;
  if (found) {
    ++(must_complete ? summary.false_positive : summary.true_positive);
  } else {
    ++(may_complete ? summary.true_negative : summary.false_negative);
  }
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
