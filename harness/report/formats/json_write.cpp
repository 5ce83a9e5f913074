// Writes results as JSON. What does not apply is null.
#include "harness/detect/words/phrases.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/costs.h"
#include "harness/report/figures/detection.h"
#include "harness/report/figures/scaling.h"
#include "harness/report/formats/json.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

using Json = OrderedJson;

std::string_view name_of(Status status) {
  switch (status) {
    case Status::skipped:
      return "skipped";
    case Status::error:
      return "error";
    case Status::judged:
      break;
  }
  return "judged";
}

Json json_of(const detect::Wait& wait) {
  const bool has_slot = record::is_communication(wait.operation);
  return {{"ranks", wait.ranks},
          {"operation", to_string(wait.operation)},
          {"host_call",
           wait.host_call == record::Call::none ? Json(nullptr) : Json(to_string(wait.host_call))},
          {"communicator", wait.communicator},
          {"communicator_id", wait.communicator_id},
          {"slot", has_slot ? Json(wait.slot) : Json(nullptr)},
          {"label", wait.label},
          {"caller", or_null(wait.caller)}};
}

Json texts_of(const std::vector<detect::Phrase>& phrases) {
  Json texts = Json::array();
  for (const detect::Phrase& phrase : phrases) texts.push_back(detect::text_of(phrase));
  return texts;
}

Json json_of(const std::optional<Observer>& observer) {
  if (!observer) return nullptr;
  return {{"recorded", observer->recorded},
          {"unrecorded", observer->unrecorded},
          {"agrees", observer->agrees}};
}

Json json_of(const detect::Moments& moments) {
  if (moments.begun_ns == 0) return nullptr;
  return {{"begun", moments.begun_ns},   {"last_progress", moments.last_progress_ns},
          {"proven", moments.proven_ns}, {"decided", moments.decided_ns},
          {"killed", moments.killed_ns}, {"ended", moments.ended_ns}};
}

Json json_of(const Run& run) {
  const bool judged = run.status == Status::judged;
  Json waiting = Json::array();
  for (const detect::Wait& wait : run.verdict.waiting) waiting.push_back(json_of(wait));
  Json faults = Json::array();
  for (const auto& fault : run.verdict.faults) {
    faults.push_back(
        {{"ranks", fault.ranks}, {"what", detect::text_of(fault.what, fault.ranks.size())}});
  }
  Json expected = Json::array();
  for (const detect::Outcome outcome : run.expected) expected.push_back(to_string(outcome));
  return {{"scenario", run.scenario},
          {"variant", or_null(run.variant)},
          {"role", run.role},
          {"repetition", run.repetition},
          {"ranks", run.ranks},
          {"status", name_of(run.status)},
          {"reason", or_null(run.reason)},
          {"outcome", judged ? Json(to_string(run.verdict.outcome)) : Json(nullptr)},
          {"expected", run.expected.empty() ? Json(nullptr) : expected},
          {"as_declared", judged ? Json(run.as_declared) : Json(nullptr)},
          {"cause", judged ? Json(to_string(run.verdict.cause)) : Json(nullptr)},
          {"culprits", run.verdict.culprits},
          {"waiting", waiting},
          {"faults", faults},
          {"cycle", texts_of(run.verdict.cycle)},
          {"time_to_hang_ms", or_null(run.time_to_hang_ms)},
          {"time_to_detect_ms", or_null(run.time_to_detect_ms)},
          {"time_to_recover_ms", or_null(run.time_to_recover_ms)},
          {"step_time_us", or_null(run.step_time_us)},
          {"fix_cost", or_null(run.fix_cost)},
          {"control", or_null(run.control)},
          {"numbers_checked", run.numbers_checked},
          {"numbers_detail", or_null(run.numbers_detail)},
          {"observer", json_of(run.observer)},
          {"score", or_null(run.score)},
          {"noise", or_null(run.noise)},
          {"divergence",
           run.verdict.divergence ? Json(detect::text_of(*run.verdict.divergence)) : Json(nullptr)},
          {"assumptions", texts_of(run.verdict.assumptions)},
          {"explanation", explanation(run.verdict)},
          {"figures", run.figures},
          {"moments_ns", json_of(run.moments)},
          {"sources", run.sources},
          {"kept", or_null(run.kept)}};
}

Json json_of(const Summary& summary) {
  return {{"runs", summary.runs},
          {"as_declared", summary.as_declared},
          {"true_positive", summary.true_positive},
          {"true_negative", summary.true_negative},
          {"false_positive", summary.false_positive},
          {"false_negative", summary.false_negative},
          {"full_score", summary.full_score},
          {"noise", summary.noise},
          {"skipped", summary.skipped},
          {"errors", summary.errors},
          {"observer_differs", summary.observer_differs}};
}

template <typename Value>
Json part_of(const std::optional<Spread>& spread, Value Spread::*part) {
  return spread ? Json((*spread).*part) : Json(nullptr);
}

Json json_of(const Cost& cost) {
  return {{"scenario", cost.scenario},
          {"variant", cost.variant},
          {"control", or_null(cost.control)},
          {"ranks", cost.ranks},
          {"fix_cost", part_of(cost.ratio, &Spread::median)},
          {"least", part_of(cost.ratio, &Spread::least)},
          {"lower_quartile", part_of(cost.ratio, &Spread::lower)},
          {"upper_quartile", part_of(cost.ratio, &Spread::upper)},
          {"greatest", part_of(cost.ratio, &Spread::greatest)},
          {"repetitions", cost.ratio ? cost.ratio->count : 0},
          {"not_measured", or_null(cost.why_not)}};
}

Json json_of(const Cheapest& cheapest) {
  return {{"scenario", cheapest.scenario},
          {"ranks", cheapest.ranks},
          {"variant", cheapest.variant},
          {"fix_cost", cheapest.ratio},
          {"has_measured_cost", cheapest.has_cost},
          {"measured_cures", cheapest.measured},
          {"no_difference_to", cheapest.alike}};
}

Json json_of(const Scaling& row) {
  return {
      {"scenario", row.scenario},
      {"variant", row.variant},
      {"ranks", row.ranks},
      {"repetitions", row.speed_up.count},
      {"step_time_us", part_of(row.step_time_us, &Spread::median)},
      {"samples_per_second", or_null(row.samples_per_second)},
      {"speed_up", row.speed_up.median},
      {"lower_quartile", row.speed_up.lower},
      {"upper_quartile", row.speed_up.upper},
      {"efficiency", row.efficiency()},
      {"promised", row.promise ? Json{row.promise->least, row.promise->greatest} : Json(nullptr)},
      {"inside", row.standing ? Json(*row.standing == Standing::inside) : Json(nullptr)}};
}

// Over all deadlocks of the session; null if there was none.
Json detection(const std::vector<Run>& runs) {
  const auto times = detection_of(runs);
  if (!times) return nullptr;
  return {{"deadlocks", times->count},
          {"median", times->median},
          {"percentile_99", times->percentile_99},
          {"greatest", times->greatest}};
}

}  // namespace

std::string to_json(const Results& results) {
  Json runs = Json::array();
  for (const Run& run : results.runs) runs.push_back(json_of(run));
  Json costs = Json::array();
  Json cheapest = Json::array();
  const std::vector<Cost> all_costs = costs_of(results.runs);
  for (const Cost& cost : all_costs) costs.push_back(json_of(cost));
  for (const Cheapest& each : cheapest_of(all_costs)) cheapest.push_back(json_of(each));
  Json scaling = Json::array();
  for (const Scaling& row : scaling_of(results)) scaling.push_back(json_of(row));
  const Json all{{"schema", "gridlock.results/1"},
                 {"context", context_to_json(results.context)},
                 {"runs", runs},
                 {"costs", costs},
                 {"cheapest_cures", cheapest},
                 {"scaling", scaling},
                 {"no_gpu_scaling", or_null(why_no_gpu_scaling(results.context))},
                 {"time_to_detect_ms", detection(results.runs)},
                 {"summary", json_of(summarise(results.runs))}};
  return file_text(all);
}

}  // namespace gridlock::report
