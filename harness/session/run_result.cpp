// Collects a run's verdict, score, numbers and figures.
#include "harness/session/run_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/detect/verdict/score.h"
#include "harness/report/figures/statistics.h"
#include "harness/run/look/kernel/programs/unseen_cuda.h"
#include "harness/run/whereabouts.h"

namespace gridlock::session {
namespace {

using report::Run;
using run::RankReport;

void add_observed(const run::Observation& observation, run::Symbols& symbols, Run& run) {
  run.verdict = observation.verdict;
  add_whereabouts(observation, run.verdict);
  name_callers(run.verdict, symbols);
  for (const detect::Wait& wait : run.verdict.waiting) {
    const std::string source = symbols.source(wait.callers);
    if (!source.empty()) run.sources[wait.caller] = source;
  }
  run.time_to_hang_ms = observation.time_to_hang_ms;
  run.time_to_detect_ms = observation.time_to_detect_ms;
  run.time_to_recover_ms = observation.time_to_recover_ms;
  run.moments = observation.moments;
  if (!observation.fault.empty()) {
    run.status = report::Status::error;
    run.reason = observation.fault;
  }
}

// Adds how many lines each rank printed, and how many of them are NCCL's.
void add_output(const run::Observation& observation, Run& run) {
  std::vector<double> lines;
  std::vector<double> of_nccl;
  for (const run::RankEnd& rank : observation.ranks) {
    std::istringstream output(rank.output);
    int all = 0;
    int nccl = 0;
    for (std::string line; std::getline(output, line); ++all) {
      const bool is_nccl = line.find("NCCL INFO") != std::string::npos ||
                           line.find("NCCL WARN") != std::string::npos;
      nccl += is_nccl ? 1 : 0;
    }
    lines.push_back(all);
    of_nccl.push_back(nccl);
  }
  run.figures["output_lines"] = std::move(lines);
  run.figures["nccl_log_lines"] = std::move(of_nccl);
}

void add_reports(const run::Observation& observation, Run& run) {
  for (const run::RankEnd& rank : observation.ranks) {
    const RankReport& said = rank.report;
    if (said.numbers != RankReport::Numbers::unchecked) run.numbers_checked = true;
    if (run.numbers_detail.empty() || said.numbers == RankReport::Numbers::wrong) {
      run.numbers_detail = said.numbers_detail;
    }
    for (const auto& [name, value] : said.figures) run.figures[name].push_back(value);
  }
  for (const auto& [name, values] : observation.gpu_figures) run.figures[name] = values;
  const auto steps = run.figures.find("step_time_us");
  if (steps == run.figures.end()) return;
  // A rank's figure is already a median. The run's figure is the median over its ranks.
  if (const auto all = report::spread(steps->second)) run.step_time_us = all->median;
}

// What is wrong with a rank's report. If it cannot be read, the run says nothing about the variant.
std::string report_damage(const run::Observation& observation) {
  for (std::size_t i = 0; i < observation.ranks.size(); ++i) {
    const std::string& damage = observation.ranks[i].report.damage;
    if (!damage.empty()) return fmt::format("rank {}: {}", i, damage);
  }
  return {};
}

// Why the program could not run here, according to one of its ranks. Empty if it could.
std::string skip_reason(const run::Observation& observation) {
  for (const run::RankEnd& rank : observation.ranks) {
    const bool by_code =
        rank.ending && !rank.ending->signaled && rank.ending->code == kCannotRunHere;
    if (rank.report.status == RankReport::Status::skipped || by_code) {
      return rank.report.reason.empty() ? "the program cannot run here" : rank.report.reason;
    }
  }
  return {};
}

// Whether the cost was measured beside the control. A ratio of medians would be less precise.
bool was_paired(const std::vector<Run>& runs, const Run& fix) {
  return std::any_of(runs.begin(), runs.end(), [&](const Run& run) {
    return run.fix_cost && run.scenario == fix.scenario && run.variant == fix.variant &&
           run.ranks == fix.ranks;
  });
}

std::optional<double> control_step_us(const std::vector<Run>& runs, const Run& fix) {
  std::vector<double> steps;
  for (const Run& run : runs) {
    const bool is_control =
        run.scenario == fix.scenario && run.variant == fix.control && run.ranks == fix.ranks;
    if (is_control && run.step_time_us) steps.push_back(*run.step_time_us);
  }
  const auto all = report::spread(std::move(steps));
  return all && all->median > 0 ? std::optional(all->median) : std::nullopt;
}

}  // namespace

void name_callers(detect::Verdict& verdict, run::Symbols& symbols) {
  for (detect::Wait& wait : verdict.waiting) {
    if (wait.caller.empty()) wait.caller = symbols.name(wait.callers);
  }
}

void add_unseen(std::span<const record::Snapshot> snapshots, detect::Verdict& verdict) {
  const std::string unseen = run::unseen_cuda(snapshots);
  if (!unseen.empty()) verdict.notes.emplace_back(detect::phrase::Said{unseen});
}

Run judged_run(const Task& task, const run::Observation& observation, run::Symbols& symbols) {
  Run run = task.planned;
  add_observed(observation, symbols, run);
  add_reports(observation, run);
  add_output(observation, run);
  if (task.declared == nullptr) add_unseen(observation.snapshots, run.verdict);
  if (run.status != report::Status::judged) return run;
  if (const std::string reason = skip_reason(observation); !reason.empty()) {
    run.status = report::Status::skipped;
    run.reason = reason;
  } else if (const std::string damage = report_damage(observation); !damage.empty()) {
    run.status = report::Status::error;
    run.reason = damage;
  } else if (task.declared == nullptr) {
    run.as_declared = run.verdict.outcome == detect::Outcome::completes;
  } else {
    const detect::Score score = detect::score(run.verdict, *task.declared);
    run.score = score.steps;
    run.noise = score.noise;
    run.as_declared = score.steps == report::kFullScore && score.noise == 0;
  }
  return run;
}

Run watched_run(const run::Job& job, const run::Observation& observation, run::Symbols& symbols) {
  Run run;
  run.scenario = std::filesystem::path(job.command.front()).filename().string();
  run.role = "watch";
  run.ranks = job.ranks;
  add_observed(observation, symbols, run);
  add_reports(observation, run);
  add_unseen(observation.snapshots, run.verdict);
  if (!observation.left_running.empty()) {
    run.verdict.notes.emplace_back(detect::phrase::Said{
        fmt::format("The job left processes running, which Gridlock ended: {}.",
                    printable(observation.left_running))});
  }
  run.as_declared =
      run.status == report::Status::judged && run.verdict.outcome == detect::Outcome::completes;
  return run;
}

void set_fix_costs(std::vector<Run>& runs) {
  std::vector<Run*> fixes;
  for (Run& run : runs) {
    if (run.role == "fix" && run.step_time_us && !was_paired(runs, run)) fixes.push_back(&run);
  }
  for (Run* fix : fixes) {
    if (const auto control = control_step_us(runs, *fix)) {
      fix->fix_cost = *fix->step_time_us / *control;
    }
  }
}

}  // namespace gridlock::session
