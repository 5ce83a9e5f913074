// Counts the runs of a soak, and puts false alarms into words.
#include "harness/accept/soak.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/groups.h"
#include "harness/report/figures/statistics.h"
#include "harness/report/formats/line.h"

namespace gridlock::accept {
namespace {

constexpr std::size_t kMostOdd = 20;

bool hangs(const report::Run& run) {
  return run.verdict.outcome == detect::Outcome::deadlock ||
         run.verdict.outcome == detect::Outcome::stall;
}

}  // namespace

void SoakTally::add(const report::Run& run, double began_s, double took_s) {
  if (run.status == report::Status::skipped) return;
  Soaked& soaked = variants_[report::full_name(run)];
  ++soaked.runs;
  rank_seconds_ += run.ranks * took_s;
  if (run.status == report::Status::error) {
    ++soaked.errors;
  } else if (run.as_declared) {
    ++soaked.as_declared;
  } else if (hangs(run)) {
    ++soaked.false_alarms;
  } else {
    ++soaked.others;
  }
  const bool is_odd = run.status == report::Status::error || !run.as_declared;
  if (is_odd && odd_.size() < kMostOdd) {
    odd_.push_back(report::run_line(run) + "  " + explanation(run.verdict) + "\n");
  }
  if (run.step_time_us && !is_odd) {
    soaked.step_us.push_back({.at = began_s, .value = *run.step_time_us});
  }
}

Soaked SoakTally::total() const {
  Soaked total;
  for (const auto& [name, soaked] : variants_) {
    total.runs += soaked.runs;
    total.as_declared += soaked.as_declared;
    total.false_alarms += soaked.false_alarms;
    total.others += soaked.others;
    total.errors += soaked.errors;
  }
  return total;
}

std::optional<Slope> SoakTally::drift() const {
  std::vector<Point> all;
  for (const auto& [name, soaked] : variants_) {
    std::vector<double> values;
    for (const Point& point : soaked.step_us) values.push_back(point.value);
    const auto middle = report::spread(std::move(values));
    if (!middle || middle->count < 4 || middle->median <= 0) continue;
    for (const Point& point : soaked.step_us) {
      all.push_back({.at = point.at / 3600, .value = point.value / middle->median});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Point& one, const Point& other) { return one.at < other.at; });
  return slope_of(std::move(all));
}

int exit_code(const SoakTally& tally) {
  const Soaked total = tally.total();
  if (total.false_alarms + total.others > 0) return 1;
  if (total.errors > 0) return 3;
  return total.runs == 0 ? 4 : 0;
}

std::string alarm_text(const SoakTally& tally) {
  const int alarms = tally.total().false_alarms;
  const double hours = tally.rank_hours();
  if (alarms > 0 && hours > 0) {
    return fmt::format("{} false alarms in {:.3g} rank-hours: {:.3g} per rank-hour", alarms, hours,
                       alarms / hours);
  }
  constexpr double kRuleOfThree = 3;
  return hours > 0 ? fmt::format(
                         "0 false alarms in {:.3g} rank-hours: below {:.3g} per rank-hour "
                         "with 95 % (3 / rank-hours)",
                         hours, kRuleOfThree / hours)
                   : "0 false alarms in less than one run";
}

}  // namespace gridlock::accept
