// Jobs from plans, results from observations.
#include "harness/cli/starter.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/context.h"
#include "harness/cli/keep.h"
#include "harness/cli/run_result.h"
#include "harness/run/ending.h"
#include "harness/run/error.h"
#include "harness/run/watch.h"

namespace gridlock::cli {
namespace {

// Black boxes are a MiB a rank: of many bad runs the first ones are kept.
constexpr int kMostKept = 50;
constexpr int kCannotRunHere = 77;

bool is_odd(const report::Run& run) {
  return run.status == report::Status::error ||
         (run.status == report::Status::judged && !run.as_declared);
}

bool skipped(const run::Observation& observation) {
  return std::any_of(
      observation.ranks.begin(), observation.ranks.end(), [](const run::RankEnd& rank) {
        return rank.ending && !rank.ending->signaled && rank.ending->code == kCannotRunHere;
      });
}

std::string folder_name(const std::string& name, int repetition) {
  std::string text = fmt::format("{}.{}", name, repetition);
  std::replace(text.begin(), text.end(), '/', '.');
  const auto at = text.find('@');
  return at == std::string::npos ? text : text.replace(at, 1, ".n");
}

}  // namespace

Starter::Starter(const Site& site, const run::ResultsFolder& folder)
    : site_(site), folder_(folder) {}

run::Observation Starter::observe(const run::Job& job, bool may_fail) {
  run::Observation observation;
  // A port that was free when it was chosen, and taken when rank 0 came: nobody's verdict.
  constexpr int kMostPorts = 4;
  for (int ports = 0; ports < kMostPorts; ++ports) {
    try {
      observation = run::watch(job, site_.installation, interrupts_, site_.fellows);
    } catch (const run::MachineError& error) {
      observation.fault = error.what();
    }
    if (may_fail || !run::found_port_taken(observation)) break;
  }
  if (!observation.snapshots.empty()) {
    nccl_ = nccl_version_text(observation.snapshots.front().nccl_version);
  }
  return observation;
}

report::Run Starter::run(const run::Planned& planned, int repetition, const Adjust& adjust) {
  report::Run result = planned_run(planned, repetition);
  if (result.status != report::Status::judged) return result;
  run::Job job;
  job.command = {planned.scenario->program.string(), planned.variant->name};
  job.ranks = planned.ranks;
  job.by_mpiexec = planned.scenario->by_mpiexec;
  if (job.by_mpiexec && site_.fellows != nullptr) {
    result.status = report::Status::skipped;
    result.reason = "needs a single agent: mpiexec starts all of its ranks";
    return result;
  }
  job.by_mpiexec = planned.scenario->by_mpiexec;
  if (site_.gpus) {
    job.gpus =
        run::GpuSet{.count = site_.gpus->count, .nccl_version = planned.scenario->nccl_version};
  }
  adjust(job);
  const auto& expected = planned.variant->expectation.outcomes;
  const bool may_fail = !expected.empty() && expected.front() == detect::Outcome::fails;
  const run::Observation observation = observe(job, may_fail);
  result = judged_run(planned, repetition, observation, symbols_);
  keep_if_odd(result, fmt::format("{}/{}@{}", result.scenario, result.variant, result.ranks),
              observation);
  return result;
}

report::Run Starter::run(const accept::Check& benchmark, int repetition, const Adjust& adjust) {
  run::Job job;
  job.command = {site_.installation.collectives(site_.backend).string(),
                 fmt::format("--one={}{}/{}", benchmark.operation,
                             benchmark.in_place ? "/in_place" : "", benchmark.bytes)};
  job.ranks = benchmark.ranks;
  if (site_.gpus) job.gpus = run::GpuSet{.count = site_.gpus->count, .nccl_version = 0};
  adjust(job);
  const run::Observation observation = observe(job, false);
  report::Run result = watched_run(job, observation, symbols_);
  result.repetition = repetition;
  if (result.status == report::Status::judged && skipped(observation)) {
    result.status = report::Status::skipped;
    result.reason = "the collective benchmark cannot run here";
  }
  keep_if_odd(result, benchmark.id, observation);
  return result;
}

void Starter::keep_if_odd(const report::Run& run, const std::string& name,
                          const run::Observation& observation) {
  if (!is_odd(run) || observation.interrupted || kept_ >= kMostKept) return;
  ++kept_;
  keep(folder_.run_folder(folder_name(name, run.repetition)), observation, site_.fellows);
}

}  // namespace gridlock::cli
