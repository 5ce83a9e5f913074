// Watching, trying again, keeping.
#include "harness/session/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/run/ending.h"
#include "harness/run/watch.h"
#include "harness/session/context.h"
#include "harness/session/keep.h"
#include "harness/session/run_result.h"

namespace gridlock::session {
namespace {

// Black boxes are a MiB a rank: of many bad runs the first ones are kept.
constexpr int kMostKept = 50;

bool is_odd(const report::Run& run) {
  return run.status == report::Status::error ||
         (run.status == report::Status::judged && !run.as_declared);
}

std::string folder_name(const std::string& name, int repetition) {
  std::string text = fmt::format("{}.{}", name, repetition);
  std::replace(text.begin(), text.end(), '/', '.');
  const auto at = text.find('@');
  return at == std::string::npos ? text : text.replace(at, 1, ".n");
}

}  // namespace

report::Run before_run(const catalogue::Planned& planned, int repetition, bool by_mpiexec,
                       const Site& site) {
  report::Run run = planned_run(planned, repetition);
  if (run.status == report::Status::judged && by_mpiexec && site.fellows != nullptr) {
    run.status = report::Status::skipped;
    run.reason = "needs a single agent: mpiexec starts all of its ranks";
  }
  return run;
}

run::Job job_of(const catalogue::Planned& planned, const Site& site) {
  run::Job job;
  job.command = {planned.scenario->program.string(), planned.variant->name};
  job.ranks = planned.ranks;
  job.split = planned.split;
  job.by_mpiexec = planned.scenario->by_mpiexec;
  if (site.gpus) {
    job.gpus =
        run::GpuSet{.count = site.gpus->count, .nccl_version = planned.scenario->nccl_version};
    if (run::is_shared(*job.gpus, planned.ranks)) job.stall_limit = kSharedGpuStallLimit;
  }
  return job;
}

bool may_fail(const catalogue::Planned& planned) {
  const auto& expected = planned.variant->expectation.outcomes;
  return !expected.empty() && expected.front() == detect::Outcome::fails;
}

run::Observation Runner::observe(const run::Job& job, bool may_fail) {
  run::Observation observation;
  // A port that was free when it was chosen, and taken when rank 0 came: nobody's verdict.
  constexpr int kMostPorts = 4;
  for (int ports = 0; ports < kMostPorts; ++ports) {
    try {
      observation = run::watch(job, site_.installation, interrupts_, site_.fellows);
    } catch (const MachineError& error) {
      observation.fault = error.what();
    }
    if (may_fail || !run::found_port_taken(observation)) break;
  }
  if (!observation.snapshots.empty()) {
    nccl_ = nccl_version_text(observation.snapshots.front().nccl_version);
  }
  if (observation.agent_lost) lost_ = observation.fault;
  return observation;
}

void Runner::keep(const report::Run& run, const std::string& name,
                  const run::Observation& observation, Keep which) {
  const bool odd = is_odd(run);
  if (observation.interrupted || (which == Keep::bad && !odd)) return;
  if (which != Keep::whatever && odd && bad_kept_ >= kMostKept && run.repetition > 0) return;
  if (odd) ++bad_kept_;
  session::keep(folder_.run_folder(folder_name(name, run.repetition)), observation, site_.fellows);
}

std::string Runner::ended() {
  if (interrupts_.requested()) return fmt::format("ended by {}", interrupts_.name());
  if (!lost_.empty() || site_.fellows == nullptr) return lost_;
  site_.fellows->check();
  return site_.fellows->lost();
}

}  // namespace gridlock::session
