// The loop over repetitions and variants.
#include "harness/cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/cli/context.h"
#include "harness/cli/keep.h"
#include "harness/cli/run_result.h"
#include "harness/report/groups.h"
#include "harness/report/table.h"
#include "harness/report/verdict_text.h"
#include "harness/run/error.h"
#include "harness/run/watch.h"

namespace gridlock::cli {
namespace {

// Black boxes are a MiB a rank: of many bad runs the first ones are kept.
constexpr int kMostKept = 50;

std::vector<int> ranks_of(const std::vector<run::Planned>& plan) {
  std::vector<int> ranks;
  for (const run::Planned& planned : plan) ranks.push_back(planned.ranks);
  return ranks;
}

run::Job job_of(const run::Planned& planned, const Options& options) {
  run::Job job;
  job.command = {planned.scenario->program.string(), planned.variant->name};
  job.ranks = planned.ranks;
  job.strict = options.strict;
  if (options.stall_limit.count() > 0) job.stall_limit = options.stall_limit;
  if (options.run_limit.count() > 0) job.run_limit = options.run_limit;
  return job;
}

// The first control that can run, for a fix that can.
std::optional<run::Planned> control_of(const run::Planned& fix) {
  if (fix.variant == nullptr || fix.variant->role != "fix" || !fix.variant->needs.empty())
    return {};
  for (const run::Variant& variant : fix.scenario->variants) {
    if (variant.role == "control" && variant.needs.empty()) {
      return run::Planned{.scenario = fix.scenario, .variant = &variant, .ranks = fix.ranks};
    }
  }
  return {};
}

int pairs_in(const std::vector<run::Planned>& plan, int each) {
  const auto fixes = std::count_if(plan.begin(), plan.end(), [](const run::Planned& planned) {
    return control_of(planned).has_value();
  });
  return static_cast<int>(fixes) * each;
}

}  // namespace

Session::Session(const Options& options, const run::Installation& installation,
                 const std::string& backend, const std::vector<run::Planned>& plan)
    : options_(options),
      installation_(installation),
      plan_(plan),
      writer_(options, backend),
      console_(options.quiet) {
  results_.context = make_context(backend, ranks_of(plan));
}

int Session::run() {
  collect();
  print("\n" + report::table(results_));
  print(fmt::format("Results: {}\n", writer_.folder().path().string()));
  return exit_code(report::summarise(results_.runs));
}

void Session::run_all() {
  for (int repetition = 0; repetition < options_.repeat; ++repetition) {
    for (const run::Planned& planned : plan_) {
      if (interrupts_.requested()) return;
      run_one(planned, repetition);
    }
  }
}

void Session::run_pairs() {
  in_pairs_ = true;
  for (const run::Planned& fix : plan_) {
    const auto control = control_of(fix);
    for (int pair = 0; control && pair < options_.cost; ++pair) {
      if (interrupts_.requested()) return;
      run_pair(fix, *control, options_.repeat + pair);
    }
  }
}

// One after the other, so that both see the same machine, and each as often first.
void Session::run_pair(const run::Planned& fix, const run::Planned& control, int repetition) {
  const std::size_t before = results_.runs.size();
  const bool control_first = repetition % 2 == 0;
  run_one(control_first ? control : fix, repetition);
  run_one(control_first ? fix : control, repetition);
  if (results_.runs.size() != before + 2) return;
  report::Run& of_fix = results_.runs[before + (control_first ? 1 : 0)];
  const report::Run& of_control = results_.runs[before + (control_first ? 0 : 1)];
  if (of_fix.step_time_us && of_control.step_time_us && *of_control.step_time_us > 0) {
    of_fix.fix_cost = *of_fix.step_time_us / *of_control.step_time_us;
  }
}

void Session::run_one(const run::Planned& planned, int repetition) {
  report::Run result = planned_run(planned, repetition);
  // What cannot run, or be asked, is said once.
  if (result.status != report::Status::judged) {
    if (repetition == 0) add(std::move(result));
    return;
  }
  announce(planned);
  run::Observation observation;
  try {
    observation = run::watch(job_of(planned, options_), installation_, interrupts_);
  } catch (const run::MachineError& error) {
    observation.fault = error.what();
  }
  if (observation.interrupted) return;
  result = judged_run(planned, repetition, observation, symbols_);
  if (results_.context.nccl.empty() && !observation.snapshots.empty()) {
    results_.context.nccl = nccl_version_text(observation.snapshots.front().nccl_version);
  }
  keep_if_needed(result, observation);
  add(std::move(result));
}

void Session::announce(const run::Planned& planned) {
  const auto differing =
      std::count_if(results_.runs.begin(), results_.runs.end(), [](const report::Run& run) {
        return run.status == report::Status::judged && !run.as_declared;
      });
  console_.begin({.done = static_cast<int>(results_.runs.size()),
                  .planned = static_cast<int>(plan_.size()) * options_.repeat +
                             2 * pairs_in(plan_, options_.cost),
                  .differing = static_cast<int>(differing),
                  .current = planned.scenario->name + "/" + planned.variant->name});
}

void Session::keep_if_needed(const report::Run& run, const run::Observation& observation) {
  const bool is_odd = run.status == report::Status::error ||
                      (run.status == report::Status::judged && !run.as_declared);
  const bool hangs = run.verdict.outcome != detect::Outcome::completes;
  const bool wanted = options_.keep || is_odd || (hangs && run.repetition == 0);
  if (!wanted || (!options_.keep && kept_ >= kMostKept && run.repetition > 0)) return;
  ++kept_;
  const std::string name =
      fmt::format("{}.{}.n{}.{}", run.scenario, run.variant, run.ranks, run.repetition);
  keep(writer_.folder().run_folder(name), observation);
}

void Session::add(report::Run run) {
  results_.runs.push_back(std::move(run));
  // On disk before it is announced.
  writer_.update(results_);
  const report::Run& last = results_.runs.back();
  // Pairs are many, and alike.
  if (!in_pairs_ || !last.as_declared) console_.done(last);
}

const report::Results& Session::collect() {
  run_all();
  run_pairs();
  console_.clear();
  set_fix_costs(results_.runs);
  writer_.finish(results_);
  if (interrupts_.requested()) {
    if (!options_.quiet) print("\n" + report::table(results_));
    throw run::MachineError(fmt::format("ended by {}; the results of finished runs are in {}",
                                        interrupts_.name(), writer_.folder().path().string()));
  }
  return results_;
}

int exit_code(const report::Summary& summary) {
  if (summary.as_declared < summary.runs) return kDiffers;
  if (summary.errors > 0) return kNothingConcluded;
  return summary.runs == 0 ? kCannotRun : kAsDeclared;
}

}  // namespace gridlock::cli
