// The textfile collector serves a file until the next session replaces it, so all metrics are
// gauges.
#include "harness/report/exports/prometheus.h"

#include <ctime>
#include <map>

#include "harness/report/figures/detection.h"

namespace gridlock::report {
namespace {

// "2026-01-31T23:59:59Z" in seconds since 1970; 0 for anything else.
double epoch_of(const std::string& date) {
  std::tm utc{};
  const char* rest = strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return rest == nullptr || *rest != '\0' ? 0 : static_cast<double>(timegm(&utc));
}

void add_verdicts(Exposition& out, const std::vector<Run>& runs) {
  std::map<std::pair<std::string, std::string>, int> counts;
  for (const Run& run : runs) {
    if (run.status != Status::judged) continue;
    ++counts[{std::string(to_string(run.verdict.outcome)),
              std::string(to_string(run.verdict.cause))}];
  }
  out.begin("gridlock_verdicts", "gauge", "Runs of the last session by verdict.");
  for (const auto& [verdict, count] : counts) {
    out.sample({{"outcome", verdict.first}, {"cause", verdict.second}}, count);
  }
}

void add_summary(Exposition& out, const Summary& summary) {
  out.begin("gridlock_runs", "gauge", "Runs of the last session by what came of them.");
  out.sample({{"status", "as_declared"}}, summary.as_declared);
  out.sample({{"status", "differs"}}, summary.runs - summary.as_declared);
  out.sample({{"status", "skipped"}}, summary.skipped);
  out.sample({{"status", "error"}}, summary.errors);
  out.begin("gridlock_judgements", "gauge",
            "Judged runs of the last session; a positive does not complete with right numbers.");
  out.sample({{"kind", "true_positive"}}, summary.true_positive);
  out.sample({{"kind", "true_negative"}}, summary.true_negative);
  out.sample({{"kind", "false_positive"}}, summary.false_positive);
  out.sample({{"kind", "false_negative"}}, summary.false_negative);
}

void add_detection(Exposition& out, const std::vector<Run>& runs) {
  const auto times = detection_of(runs);
  if (!times) return;
  double sum = 0;
  for (const Run& run : runs) {
    const bool is_proven =
        run.status == Status::judged && run.verdict.outcome == detect::Outcome::deadlock;
    if (is_proven) sum += run.time_to_detect_ms.value_or(0);
  }
  constexpr double kMilli = 1e-3;
  out.begin("gridlock_detection_time_seconds", "summary",
            "From the last progress of a job to the proof of its deadlock, last session.");
  out.sample({{"quantile", "0.5"}}, times->median * kMilli);
  out.sample({{"quantile", "0.99"}}, times->percentile_99 * kMilli);
  out.sample({{"quantile", "1"}}, times->greatest * kMilli);
  out.sample({}, sum * kMilli, "_sum");
  out.sample({}, static_cast<double>(times->count), "_count");
}

}  // namespace

void add_context(Exposition& out, const Context& context) {
  out.begin("gridlock_session_info", "gauge", "What the last session ran on; always 1.");
  out.sample({{"backend", context.backend},
              {"gpu", context.gpu},
              {"driver", context.driver},
              {"cuda", context.cuda},
              {"nccl", context.nccl},
              {"commit", context.commit}},
             1);
  if (const double epoch = epoch_of(context.date); epoch > 0) {
    out.begin("gridlock_session_start_timestamp_seconds", "gauge",
              "When the last session began, in seconds since 1970.");
    out.sample({}, epoch);
  }
}

std::string to_prometheus(const Results& results) {
  Exposition out;
  add_context(out, results.context);
  add_verdicts(out, results.runs);
  add_summary(out, summarise(results.runs));
  add_detection(out, results.runs);
  return out.text();
}

}  // namespace gridlock::report
