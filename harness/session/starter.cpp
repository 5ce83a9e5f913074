// Jobs from plans, results from observations.
#include "harness/session/starter.h"

#include <fmt/format.h>

#include "harness/session/run_result.h"

namespace gridlock::session {

report::Run Starter::run(const catalogue::Planned& planned, int repetition, const Adjust& adjust) {
  report::Run result = before_run(planned, repetition, planned.scenario->by_mpiexec, site_);
  if (result.status != report::Status::judged) return result;
  run::Job job = job_of(planned, site_);
  adjust(job);
  const run::Observation observation = runner_.observe(job, may_fail(planned));
  result = judged_run(planned, repetition, observation, runner_.symbols());
  runner_.keep(result, fmt::format("{}/{}@{}", result.scenario, result.variant, result.ranks),
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
  const run::Observation observation = runner_.observe(job, false);
  report::Run result = watched_run(job, observation, runner_.symbols());
  result.repetition = repetition;
  const std::string skipped = skip_reason(observation);
  if (result.status == report::Status::judged && !skipped.empty()) {
    result.status = report::Status::skipped;
    result.reason = skipped;
  }
  runner_.keep(result, benchmark.id, observation);
  return result;
}

}  // namespace gridlock::session
