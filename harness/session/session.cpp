// The loop over repetitions and variants.
#include "harness/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/base/error.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/differing.h"
#include "harness/report/figures/groups.h"
#include "harness/report/formats/observer.h"
#include "harness/report/formats/table.h"
#include "harness/run/look/own_ranks.h"
#include "harness/session/context.h"
#include "harness/session/exit_code.h"
#include "harness/session/results/page.h"
#include "harness/session/run_result.h"

namespace gridlock::session {
namespace {

// Any scenario. All are from one build, so each has the same versions.
const catalogue::Scenario* any_scenario(const std::vector<catalogue::Planned>& plan) {
  const auto sound = std::find_if(plan.begin(), plan.end(), [](const catalogue::Planned& planned) {
    return planned.scenario->fault.empty();
  });
  return sound == plan.end() ? nullptr : sound->scenario;
}

// The control that a planned fix's cost is measured against, as a planned run. Nothing if it has
// none.
std::optional<catalogue::Planned> control_of(const catalogue::Planned& fix) {
  if (fix.variant == nullptr) return {};
  const catalogue::Variant* control = catalogue::control_of(*fix.scenario, *fix.variant);
  if (control == nullptr) return {};
  return catalogue::Planned{
      .scenario = fix.scenario, .variant = control, .ranks = fix.ranks, .split = fix.split};
}

Keep keep_of(const SessionOptions& options) {
  if (options.keep) return Keep::all;
  return options.outputs.exports.need_boxes() ? Keep::firsts : Keep::examples;
}

int pairs_in(const std::vector<catalogue::Planned>& plan, int each) {
  const auto fixes = std::count_if(plan.begin(), plan.end(), [](const catalogue::Planned& planned) {
    return control_of(planned).has_value();
  });
  return static_cast<int>(fixes) * each;
}

}  // namespace

Session::Session(const SessionOptions& options, const Site& site,
                 const std::vector<catalogue::Planned>& plan)
    : options_(options),
      site_(site),
      plan_(plan),
      writer_(options.outputs, site.backend),
      runner_(site, writer_.folder(), keep_of(options)),
      console_(options.quiet || options.outputs.quiet) {
  runner_.show_on(console_);
  results_.context = context_of(site, ranks_of(plan), any_scenario(plan));
}

int Session::run() {
  collect();
  print("\n" + report::table(results_) + report::observer_text(results_.runs) +
        report::differing_text(results_.runs));
  print(fmt::format("Results: {}\n", writer_.folder().path().string()));
  const bool all_written = writer_.write_wanted(results_);
  show_page(writer_.folder().path(), page_of(writer_.folder().path(), results_),
            options_.outputs.open);
  return with_files(exit_code(report::summarise(results_.runs)), all_written);
}

void Session::run_all() {
  for (int repetition = 0; repetition < options_.repeat; ++repetition) {
    for (const catalogue::Planned& planned : plan_) {
      if (!runner_.ended().empty()) return;
      run_one(planned, repetition);
    }
  }
}

void Session::run_pairs() {
  in_pairs_ = true;
  for (const catalogue::Planned& fix : plan_) {
    const auto control = control_of(fix);
    bool is_timed = false;
    for (int pair = 0; control && pair < options_.cost; ++pair) {
      if (!runner_.ended().empty()) return;
      // If two pairs have no ratio, more would have none either.
      if (pair >= 2 && !is_timed) break;
      is_timed |= run_pair(fix, *control, options_.repeat + pair);
    }
  }
}

// The two follow each other directly, so that both are measured under the same conditions. Each
// comes first equally often.
bool Session::run_pair(const catalogue::Planned& fix, const catalogue::Planned& control,
                       int repetition) {
  const std::size_t before = results_.runs.size();
  const bool control_first = repetition % 2 == 0;
  run_one(control_first ? control : fix, repetition);
  run_one(control_first ? fix : control, repetition);
  if (results_.runs.size() != before + 2) return false;
  report::Run& of_fix = results_.runs[before + (control_first ? 1 : 0)];
  const report::Run& of_control = results_.runs[before + (control_first ? 0 : 1)];
  if (of_fix.step_time_us && of_control.step_time_us && *of_control.step_time_us > 0) {
    of_fix.fix_cost = *of_fix.step_time_us / *of_control.step_time_us;
  }
  return of_fix.fix_cost.has_value();
}

void Session::run_one(const catalogue::Planned& planned, int repetition) {
  const Task task = task_of(planned, repetition, site_, options_.job);
  // Repetitions would only repeat why it cannot start.
  if (!task.can_start() && repetition > 0) return;
  if (task.can_start()) announce(task.planned);
  const std::int64_t began_ns = run::now_ns();
  std::optional<report::Run> result = runner_.run(task);
  add_agents(results_.context, site_.fellows);
  if (!result) return;
  if (results_.context.nccl.empty()) results_.context.nccl = runner_.nccl();
  const Duration took(run::now_ns() - began_ns);
  if (options_.observer_check && !runner_.check_observer(task, took, *result)) return;
  add(std::move(*result));
}

void Session::announce(const report::Run& planned) {
  const auto differing =
      std::count_if(results_.runs.begin(), results_.runs.end(), [](const report::Run& run) {
        return run.status == report::Status::judged && !run.as_declared;
      });
  console_.begin({.done = static_cast<int>(results_.runs.size()),
                  .planned = static_cast<int>(plan_.size()) * options_.repeat +
                             2 * pairs_in(plan_, options_.cost),
                  .differing = static_cast<int>(differing),
                  .current = report::full_name(planned)});
}

void Session::add(report::Run run) {
  results_.runs.push_back(std::move(run));
  const report::Run& last = results_.runs.back();
  // Pairs are many and alike, so only differing ones are shown.
  const bool is_shown = !in_pairs_ || !last.as_declared;
  try {
    // Written to disk before it is announced.
    writer_.update(results_);
  } catch (const MachineError&) {
    if (is_shown) console_.done(last);
    throw;
  }
  if (is_shown) console_.done(last);
}

std::string Session::run_plan() {
  try {
    run_all();
    run_pairs();
    set_fix_costs(results_.runs);
    writer_.finish(results_);
  } catch (const MachineError& error) {
    return error.what();
  }
  const std::string why = runner_.ended();
  return why.empty() ? why
                     : fmt::format("{}; the results of finished runs are in {}", why,
                                   writer_.folder().path().string());
}

const report::Results& Session::collect() {
  keep_scenarios(writer_.folder().path(), plan_);
  const std::string why = run_plan();
  console_.clear();
  if (!why.empty()) {
    if (!options_.quiet) print("\n" + report::table(results_));
    writer_.write_wanted(results_);
    throw MachineError(why);
  }
  return results_;
}

int exit_code(const report::Summary& summary) {
  if (summary.as_declared < summary.runs || summary.observer_differs > 0) return kDiffers;
  if (summary.errors > 0) return kNothingConcluded;
  return summary.runs == 0 ? kCannotRun : kAsDeclared;
}

}  // namespace gridlock::session
