// gridlock watch, diagnose: verdicts on programs that declare nothing.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "harness/base/error.h"
#include "harness/catalogue/gpus.h"
#include "harness/cli/commands.h"
#include "harness/detect/judge.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/processes/mpiexec.h"
#include "harness/report/formats/text.h"
#include "harness/run/look/unseen_cuda.h"
#include "harness/run/watch.h"
#include "harness/session/console.h"
#include "harness/session/context.h"
#include "harness/session/keep.h"
#include "harness/session/run_result.h"
#include "harness/session/writer.h"

namespace gridlock::cli {
namespace {

run::Job job_of(const session::Options& options) {
  run::Job job;
  job.command = options.command;
  if (job.command.empty()) {
    throw UsageError(
        "watch needs a program to start, as in `gridlock watch -n 4 -- ./train --steps 100`");
  }
  if (options.ranks.size() > 1) {
    throw UsageError("watch starts the program once; give one number of ranks");
  }
  job.ranks = options.ranks.empty() ? 1 : options.ranks.front();
  if (!options.splits.empty()) job.split = options.splits.front();
  job.by_program = options.by_program;
  job.by_mpiexec = options.by_mpiexec;
  if (job.by_mpiexec) {
    if (job.by_program) {
      throw UsageError("--launcher mpiexec starts the ranks itself; leave out --ranks-by-program");
    }
    if (const std::string why = processes::why_no_mpiexec(); !why.empty()) throw CannotRun(why);
  }
  job.pass_output = true;
  job.strict = options.strict;
  job.stall_limit = options.stall_limit.count() > 0 ? options.stall_limit : kWatchStallLimit;
  // A time of its own, but never as long as a stall takes.
  job.assumption_bound = std::clamp(job.stall_limit / 2, kAssumptionBound, kWatchAssumptionBound);
  job.run_limit = options.run_limit;
  return job;
}

// A proof is shown without its explanation, but not without what was not seen.
void print_verdict(const detect::Verdict& verdict, std::span<const record::Snapshot> snapshots) {
  session::print(detect::verdict_text(verdict));
  const std::string unseen = run::unseen_cuda(snapshots);
  if (verdict.outcome == detect::Outcome::deadlock && !unseen.empty()) {
    session::print(fmt::format("  {}\n", unseen));
  }
}

void show(const report::Run& run, std::span<const record::Snapshot> snapshots) {
  if (run.status != report::Status::judged) return;
  session::print("\ngridlock: ");
  print_verdict(run.verdict, snapshots);
  if (run.time_to_detect_ms) {
    session::print(fmt::format("  detected {} after the last progress\n",
                               report::milliseconds(run.time_to_detect_ms)));
  }
}

}  // namespace

int watch(const session::Options& options) {
  const catalogue::Installation installation = catalogue::find_installation();
  run::Job job = job_of(options);
  if (options.share_gpus) {
    const catalogue::Gpus gpus = catalogue::find_gpus(installation);
    // Which NCCL the program brings is not known before it runs: the way that all versions take.
    if (gpus.count == 0) {
      throw CannotRun(fmt::format("there is no GPU to share: {}", gpus.fault));
    }
    job.gpus = run::GpuSet{.count = gpus.count, .nccl_version = 0};
  }
  raise_descriptor_limit();
  processes::Interrupts interrupts;
  session::Writer writer(options, "watch");
  report::Results results;
  results.context = session::make_context("watch", {job.ranks});
  run::Symbols symbols;
  run::OnStall on_stall;
  if (!options.kill_on_stall) {
    on_stall = [&](detect::Verdict verdict, std::span<const record::Snapshot> snapshots) {
      session::name_callers(verdict, symbols);
      session::add_unseen(snapshots, verdict);
      session::print("\ngridlock: ");
      print_verdict(verdict, snapshots);
      session::print("  The job is watched on; --on-stall kill would end it here.\n");
    };
  }
  const run::Observation observation =
      run::watch(job, installation, interrupts, options.fellows, on_stall);
  session::add_agents(results.context, options.fellows);
  if (!observation.snapshots.empty()) {
    const record::Snapshot& first = observation.snapshots.front();
    results.context.nccl = session::nccl_version_text(first.nccl_version);
    if (!first.backend.empty()) results.context.backend = first.backend;
  }
  results.runs.push_back(session::watched_run(job, observation, symbols));
  const report::Run& run = results.runs.back();
  // Before anything is written, which a full disk may end.
  show(run, observation.snapshots);
  if (!run.as_declared || options.keep) {
    session::keep(writer.folder().run_folder(run.scenario), observation, options.fellows);
  }
  writer.finish(results);
  if (run.status == report::Status::error) throw MachineError(run.reason);
  if (run.status == report::Status::judged) {
    session::print(fmt::format("Results: {}\n", writer.folder().path().string()));
  }
  return run.as_declared ? session::kAsDeclared : session::kDiffers;
}

int diagnose(const session::Options& options) {
  const std::vector<record::Snapshot> snapshots = session::load(options.first);
  detect::Parameters parameters;
  parameters.strict = options.strict;
  detect::Judge judge(parameters);
  // Boxes that were kept do not change: the second look sees what the first one saw.
  judge.look(snapshots);
  const detect::Finding finding = judge.look(snapshots);
  detect::Verdict verdict = finding.proven
                                ? judge.verdict()
                                : detect::explain_stall(snapshots, parameters, &judge.ledger());
  run::Symbols symbols;
  session::name_callers(verdict, symbols);
  session::add_unseen(snapshots, verdict);
  print_verdict(verdict, snapshots);
  return session::kDiffers;
}

}  // namespace gridlock::cli
