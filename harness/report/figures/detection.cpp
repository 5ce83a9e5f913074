// Sums over runs.
#include "harness/report/figures/detection.h"

#include <fmt/format.h>

#include <algorithm>

namespace gridlock::report {

namespace {

std::string times_text(const Spread& times) {
  return fmt::format("median {:.2f} ms, 99th percentile {:.2f} ms, greatest {:.2f} ms",
                     times.median, times.percentile_99, times.greatest);
}

}  // namespace

std::optional<Spread> detection_of(const std::vector<Run>& runs, Proofs which) {
  std::vector<double> times;
  for (const Run& run : runs) {
    const bool is_proven =
        run.status == Status::judged && run.verdict.outcome == detect::Outcome::deadlock;
    const bool is_wanted = which == Proofs::all || run.verdict.assumptions.empty();
    if (is_proven && is_wanted && run.time_to_detect_ms) times.push_back(*run.time_to_detect_ms);
  }
  return spread(std::move(times));
}

std::string detection_text(const std::vector<Run>& runs) {
  const auto times = detection_of(runs);
  if (!times) return {};
  if (times->count == 1) {
    return fmt::format("Time to detect the deadlock: {:.2f} ms\n", times->median);
  }
  std::string text =
      fmt::format("Time to detect {} deadlocks: {}", times->count, times_text(*times));
  const auto bare = detection_of(runs, Proofs::without_assumption);
  if (bare && bare->count < times->count) {
    text += fmt::format("; {} without an assumption: {}", bare->count, times_text(*bare));
  }
  return text + "\n";
}

Scores scores_of(const std::vector<Run>& runs) {
  Scores scores;
  const int last = static_cast<int>(scores.verdicts.size()) - 1;
  for (const Run& run : runs) {
    if (run.status != Status::judged) continue;
    if (run.score) ++scores.verdicts.at(static_cast<std::size_t>(std::clamp(*run.score, 0, last)));
    scores.noise += run.noise.value_or(0);
  }
  return scores;
}

}  // namespace gridlock::report
