// Turns a planned run, or a check, into a job.
#include "harness/session/task.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/run/start/simulated_hosts.h"

namespace gridlock::session {
namespace {

// The version that decides what is declared; 0: our own NCCL.
int nccl_of(const catalogue::Planned& planned, const Site& site) {
  return site.nccl ? catalogue::version_number(*site.nccl) : planned.scenario->nccl_version;
}

report::Run planned_run(const catalogue::Planned& planned, int repetition, const Site& site) {
  report::Run run;
  run.scenario = planned.scenario->name;
  run.repetition = repetition;
  run.ranks = planned.ranks;
  if (planned.variant == nullptr) {
    run.status = report::Status::error;
    run.reason = planned.scenario->fault;
    return run;
  }
  run.variant = planned.variant->name;
  run.role = planned.variant->role;
  run.expected = planned.variant->expectation_for(nccl_of(planned, site)).outcomes;
  if (const auto* control = catalogue::control_of(*planned.scenario, *planned.variant)) {
    run.control = control->name;
  }
  if (!planned.variant->needs.empty()) {
    run.status = report::Status::skipped;
    run.reason = planned.variant->needs;
  }
  return run;
}

// Why hosts cannot be simulated here for this job; "" if they can.
std::string why_no_hosts(const run::Job& job, const Site& site) {
  if (!site.nccl) {
    return "needs the real NCCL (--nccl VERSION): our own moves data through memory, so no network "
           "can break it";
  }
  if (site.fellows != nullptr) return "needs a single agent, which simulates its hosts";
  if (job.by_mpiexec) return "needs ranks that mpiexec does not start, to put them on hosts";
  const std::string& why = run::SimulatedHosts::why_not();
  return why.empty() ? "" : "needs simulated hosts: " + why;
}

// `declared`: the hosts of a variant that breaks their network, else 1.
void set_hosts(Task& task, int declared, int wanted, const Site& site) {
  const int hosts = std::max(declared, wanted);
  if (hosts == 1 || !task.can_start()) return;
  task.job.simulated_hosts = hosts;
  if (declared > 1) task.job.stall_limit = kNetworkStallLimit;
  task.planned.reason = why_no_hosts(task.job, site);
  if (!task.planned.reason.empty()) task.planned.status = report::Status::skipped;
}

// Skips a variant that our own NCCL cannot show.
void skip_on_own_nccl(Task& task, const std::string& because, const Site& site) {
  if (because.empty() || site.nccl || site.gpus || !task.can_start()) return;
  task.planned.status = report::Status::skipped;
  task.planned.reason = fmt::format("needs the real NCCL (--nccl VERSION): {}", because);
}

// Sets where the job runs, and the user's options.
void set_up(Task& task, const Site& site, const JobOptions& options, int nccl_version) {
  run::Job& job = task.job;
  if (site.gpus) job.gpus = run::GpuSet{.count = site.gpus->count, .nccl_version = nccl_version};
  job.by_mpiexec |= options.by_mpiexec;
  if (site.nccl) {
    job.environment = catalogue::environment_of(*site.nccl, site.installation);
    job.stall_limit = std::max(job.stall_limit, kSourceStallLimit);
  }
  job.strict = options.strict;
  job.utilisation = options.utilisation && job.gpus.has_value();
  if (options.stall_limit.count() > 0) job.stall_limit = options.stall_limit;
  if (options.run_limit.count() > 0) job.run_limit = options.run_limit;
  if (task.can_start() && job.by_mpiexec && site.fellows != nullptr) {
    task.planned.status = report::Status::skipped;
    task.planned.reason = "needs a single agent, because mpiexec starts all of its ranks";
  }
}

}  // namespace

Task task_of(const catalogue::Planned& planned, int repetition, const Site& site,
             const JobOptions& options) {
  Task task;
  task.planned = planned_run(planned, repetition, site);
  task.name =
      fmt::format("{}/{}@{}", task.planned.scenario, task.planned.variant, task.planned.ranks);
  if (planned.variant == nullptr) return task;
  task.declared = &planned.variant->expectation_for(nccl_of(planned, site));
  task.job.command = {planned.scenario->program.string(), planned.variant->name};
  task.job.ranks = planned.ranks;
  task.job.split = planned.split;
  task.job.by_mpiexec = planned.scenario->by_mpiexec;
  const int nccl = planned.scenario->nccl_version;
  if (site.gpus &&
      run::is_shared({.count = site.gpus->count, .nccl_version = nccl}, planned.ranks)) {
    task.job.stall_limit = kSharedGpuStallLimit;
  }
  skip_on_own_nccl(task, planned.variant->needs_real_nccl, site);
  set_hosts(task, planned.variant->hosts, options.simulated_hosts, site);
  set_up(task, site, options, nccl);
  return task;
}

Task task_of(const accept::Check& benchmark, int repetition, const Site& site,
             const JobOptions& options) {
  const std::filesystem::path program = site.installation.collectives(site.backend);
  Task task;
  task.planned.scenario = program.filename().string();
  task.planned.role = "watch";
  task.planned.repetition = repetition;
  task.planned.ranks = benchmark.ranks;
  task.name = benchmark.id;
  task.job.command = {program.string(),
                      fmt::format("--one={}{}/{}", benchmark.operation,
                                  benchmark.in_place ? "/in_place" : "", benchmark.bytes)};
  task.job.ranks = benchmark.ranks;
  set_up(task, site, options, 0);
  return task;
}

}  // namespace gridlock::session
