// One line for each run, then its verdict.
#include "harness/report/figures/differing.h"

#include <fmt/format.h>

#include "harness/detect/words/verdict_text.h"
#include "harness/report/formats/line.h"

namespace gridlock::report {
namespace {

// If more runs go wrong, the first ones show why.
constexpr int kRuns = 10;

bool differs(const Run& run) {
  return run.status == Status::error ||
         (run.status == Status::judged && !run.expected.empty() && !run.as_declared);
}

// Leaves out the headline, which is already on the run's line.
std::string details_of(const detect::Verdict& verdict) {
  const std::string text = verdict_text(verdict);
  return text.substr(text.find('\n') + 1);
}

}  // namespace

std::string declared_text(const Run& run) {
  std::string text;
  for (const detect::Outcome outcome : run.expected) {
    text += fmt::format("{}{}", text.empty() ? "" : " or ", to_string(outcome));
  }
  return text.empty() ? "completes" : text;
}

std::string differing_text(const std::vector<Run>& runs) {
  std::string text;
  int differing = 0;
  for (const Run& run : runs) {
    if (!differs(run) || ++differing > kRuns) continue;
    text += run_line(run);
    if (run.status == Status::error) continue;
    text += fmt::format("  declared: {}\n", declared_text(run)) + details_of(run.verdict);
  }
  if (differing == 0) return {};
  if (differing > kRuns) text += fmt::format("... and {} more\n", differing - kRuns);
  return "\nNot as declared:\n" + text;
}

}  // namespace gridlock::report
