// The loop over repetitions and variants.
#include "harness/cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/cli/context.h"
#include "harness/cli/keep.h"
#include "harness/cli/run_result.h"
#include "harness/report/groups.h"
#include "harness/report/observer.h"
#include "harness/report/table.h"
#include "harness/report/verdict_text.h"
#include "harness/run/ending.h"
#include "harness/run/error.h"
#include "harness/run/observer.h"
#include "harness/run/sight.h"
#include "harness/run/watch.h"

namespace gridlock::cli {
namespace {

// Black boxes are a MiB a rank: of many bad runs the first ones are kept.
constexpr int kMostKept = 50;

std::vector<int> ranks_of(const std::vector<run::Planned>& plan) {
  std::vector<int> ranks;
  ranks.reserve(plan.size());
  for (const run::Planned& planned : plan) ranks.push_back(planned.ranks);
  return ranks;
}

// The GPUs that a session of the back end runs on.
//   Errors   CannotRun when there are none
std::optional<run::Gpus> gpus_for(const std::string& backend,
                                  const run::Installation& installation) {
  if (backend != "cuda") return {};
  run::Gpus gpus = run::find_gpus(installation);
  if (gpus.count == 0) {
    throw run::CannotRun(
        fmt::format("the back end cuda cannot run here: {}; try --backend sim", gpus.fault));
  }
  return gpus;
}

// The versions that the scenarios were linked with: one build, so any of them will say.
const run::Scenario* any_scenario(const std::vector<run::Planned>& plan) {
  const auto sound = std::find_if(plan.begin(), plan.end(), [](const run::Planned& planned) {
    return planned.scenario->fault.empty();
  });
  return sound == plan.end() ? nullptr : sound->scenario;
}

run::Job job_of(const run::Planned& planned, const Options& options) {
  run::Job job;
  job.command = {planned.scenario->program.string(), planned.variant->name};
  job.ranks = planned.ranks;
  job.split = planned.split;
  job.by_mpiexec = options.by_mpiexec || planned.scenario->by_mpiexec;
  job.strict = options.strict;
  if (options.stall_limit.count() > 0) job.stall_limit = options.stall_limit;
  if (options.run_limit.count() > 0) job.run_limit = options.run_limit;
  return job;
}

// What the cost of a planned fix is measured against, as a run; nothing where it has none.
std::optional<run::Planned> control_of(const run::Planned& fix) {
  if (fix.variant == nullptr) return {};
  const run::Variant* control = run::control_of(*fix.scenario, *fix.variant);
  if (control == nullptr) return {};
  return run::Planned{
      .scenario = fix.scenario, .variant = control, .ranks = fix.ranks, .split = fix.split};
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
      gpus_(gpus_for(backend, installation)),
      writer_(options, backend),
      console_(options.quiet) {
  results_.context = make_context(backend, ranks_of(plan));
  if (gpus_) {
    const run::Scenario* scenario = any_scenario(plan);
    const int nccl = scenario == nullptr ? 0 : scenario->nccl_version;
    add_gpus(results_.context, *gpus_, nccl, scenario == nullptr ? 0 : scenario->cuda_version);
  }
}

int Session::run() {
  collect();
  print("\n" + report::table(results_) + report::observer_text(results_.runs));
  print(fmt::format("Results: {}\n", writer_.folder().path().string()));
  return exit_code(report::summarise(results_.runs));
}

// Whether nothing more can be run.
bool Session::is_over() {
  if (options_.fellows != nullptr) options_.fellows->check();
  return interrupts_.requested() ||
         (options_.fellows != nullptr && !options_.fellows->lost().empty());
}

void Session::run_all() {
  for (int repetition = 0; repetition < options_.repeat; ++repetition) {
    for (const run::Planned& planned : plan_) {
      if (is_over()) return;
      run_one(planned, repetition);
    }
  }
}

void Session::run_pairs() {
  in_pairs_ = true;
  for (const run::Planned& fix : plan_) {
    const auto control = control_of(fix);
    bool is_timed = false;
    for (int pair = 0; control && pair < options_.cost; ++pair) {
      if (is_over()) return;
      // Where two pairs have no ratio, more would have none either.
      if (pair >= 2 && !is_timed) break;
      is_timed |= run_pair(fix, *control, options_.repeat + pair);
    }
  }
}

// One after the other, so that both see the same machine, and each as often first.
bool Session::run_pair(const run::Planned& fix, const run::Planned& control, int repetition) {
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

void Session::run_one(const run::Planned& planned, int repetition) {
  report::Run result = planned_run(planned, repetition);
  const bool by_mpiexec = options_.by_mpiexec || planned.scenario->by_mpiexec;
  if (result.status == report::Status::judged && by_mpiexec && options_.fellows != nullptr) {
    result.status = report::Status::skipped;
    result.reason = "needs a single agent: mpiexec starts all of its ranks";
  }
  // What cannot run, or be asked, is said once.
  if (result.status != report::Status::judged) {
    if (repetition == 0) add(std::move(result));
    return;
  }
  announce(planned);
  run::Observation observation;
  run::Job job = job_of(planned, options_);
  if (gpus_) {
    job.gpus = run::GpuSet{.count = gpus_->count, .nccl_version = planned.scenario->nccl_version};
    job.utilisation = options_.utilisation;
  }
  const std::int64_t began_ns = run::now_ns();
  // A port that was free when it was chosen, and taken when rank 0 came: nobody's verdict.
  constexpr int kMostPorts = 4;
  for (int ports = 0; ports < kMostPorts; ++ports) {
    try {
      observation = run::watch(job, installation_, interrupts_, options_.fellows);
    } catch (const run::MachineError& error) {
      observation.fault = error.what();
    }
    const bool is_declared =
        planned.variant->expectation.outcomes.front() == detect::Outcome::fails;
    if (is_declared || !run::found_port_taken(observation)) break;
  }
  add_agents(results_.context, options_.fellows);
  if (observation.interrupted) return;
  result = judged_run(planned, repetition, observation, symbols_);
  if (results_.context.nccl.empty() && !observation.snapshots.empty()) {
    results_.context.nccl = nccl_version_text(observation.snapshots.front().nccl_version);
  }
  keep_if_needed(result, observation);
  if (options_.observer_check) {
    check_observer(job, run::Duration(run::now_ns() - began_ns), result);
    if (interrupts_.requested()) return;
  }
  add(std::move(result));
}

// `took`: the recorded run, to its verdict. A job that hung then is looked at for little longer: if
// it has not ended by then, it hangs without the recorder too.
void Session::check_observer(const run::Job& job, run::Duration took, report::Run& result) {
  if (result.status != report::Status::judged) return;
  if (result.role != "broken" && result.role != "fix") return;
  const run::End recorded = run::end_of(result.verdict.outcome);
  const bool hung = recorded == run::End::silent;
  const run::Duration limit = hung ? took + run::kObserverMargin : job.run_limit;
  try {
    const run::End unrecorded =
        run::run_unrecorded(job, installation_, interrupts_, limit, options_.fellows);
    const auto accepts = [&](run::End end) {
      return std::any_of(result.expected.begin(), result.expected.end(),
                         [&](detect::Outcome outcome) { return run::end_of(outcome) == end; });
    };
    result.observer = report::Observer{
        .recorded = std::string(to_string(recorded)),
        .unrecorded = std::string(to_string(unrecorded)),
        .agrees = recorded == unrecorded || (accepts(recorded) && accepts(unrecorded))};
  } catch (const run::MachineError& error) {
    result.status = report::Status::error;
    result.reason = error.what();
  }
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
  keep(writer_.folder().run_folder(name), observation, options_.fellows);
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
  if (is_over()) {
    throw run::MachineError(fmt::format("{}; the results of finished runs are in {}",
                                        options_.fellows->lost(),
                                        writer_.folder().path().string()));
  }
  return results_;
}

int exit_code(const report::Summary& summary) {
  if (summary.as_declared < summary.runs || summary.observer_differs > 0) return kDiffers;
  if (summary.errors > 0) return kNothingConcluded;
  return summary.runs == 0 ? kCannotRun : kAsDeclared;
}

}  // namespace gridlock::cli
