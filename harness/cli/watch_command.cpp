// gridlock watch, diagnose: verdicts on programs that declare nothing.
#include <fmt/format.h>

#include "harness/cli/commands.h"
#include "harness/cli/console.h"
#include "harness/cli/context.h"
#include "harness/cli/keep.h"
#include "harness/cli/run_result.h"
#include "harness/cli/writer.h"
#include "harness/detect/judge.h"
#include "harness/report/text.h"
#include "harness/report/verdict_text.h"
#include "harness/run/error.h"
#include "harness/run/gpus.h"
#include "harness/run/mpiexec.h"
#include "harness/run/unseen_cuda.h"
#include "harness/run/watch.h"

namespace gridlock::cli {
namespace {

run::Job job_of(const Options& options) {
  run::Job job;
  job.command = options.command;
  if (job.command.empty()) {
    throw run::UsageError(
        "watch needs a program to start, as in `gridlock watch -n 4 -- ./train --steps 100`");
  }
  if (options.ranks.size() > 1) {
    throw run::UsageError("watch starts the program once; give one number of ranks");
  }
  job.ranks = options.ranks.empty() ? 1 : options.ranks.front();
  if (!options.splits.empty()) job.split = options.splits.front();
  job.by_program = options.by_program;
  job.by_mpiexec = options.by_mpiexec;
  if (job.by_mpiexec) {
    if (job.by_program) {
      throw run::UsageError(
          "--launcher mpiexec starts the ranks itself; leave out --ranks-by-program");
    }
    if (const std::string why = run::why_no_mpiexec(); !why.empty()) throw run::CannotRun(why);
  }
  job.pass_output = true;
  job.strict = options.strict;
  job.stall_limit = options.stall_limit.count() > 0 ? options.stall_limit : run::kWatchStallLimit;
  job.run_limit = options.run_limit;
  return job;
}

// A proof is shown without its explanation, but not without what was not seen.
void print_verdict(const detect::Verdict& verdict, std::span<const record::Snapshot> snapshots) {
  print(report::verdict_text(verdict));
  const std::string unseen = run::unseen_cuda(snapshots);
  if (verdict.outcome == detect::Outcome::deadlock && !unseen.empty()) {
    print(fmt::format("  {}\n", unseen));
  }
}

void show(const report::Run& run, std::span<const record::Snapshot> snapshots) {
  if (run.status != report::Status::judged) return;
  print("\ngridlock: ");
  print_verdict(run.verdict, snapshots);
  if (run.time_to_detect_ms) {
    print(fmt::format("  detected {} after the last progress\n",
                      report::milliseconds(run.time_to_detect_ms)));
  }
}

}  // namespace

int watch(const Options& options) {
  const run::Installation installation = run::find_installation();
  run::Job job = job_of(options);
  if (options.share_gpus) {
    const run::Gpus gpus = run::find_gpus(installation);
    // Which NCCL the program brings is not known before it runs: the way that all versions take.
    if (gpus.count == 0) {
      throw run::CannotRun(fmt::format("there is no GPU to share: {}", gpus.fault));
    }
    job.gpus = run::GpuSet{.count = gpus.count, .nccl_version = 0};
  }
  run::raise_descriptor_limit();
  run::Interrupts interrupts;
  Writer writer(options, "watch");
  report::Results results;
  results.context = make_context("watch", {job.ranks});
  const run::Observation observation = run::watch(job, installation, interrupts, options.fellows);
  add_agents(results.context, options.fellows);
  if (!observation.snapshots.empty()) {
    const record::Snapshot& first = observation.snapshots.front();
    results.context.nccl = nccl_version_text(first.nccl_version);
    if (!first.backend.empty()) results.context.backend = first.backend;
  }
  run::Symbols symbols;
  results.runs.push_back(watched_run(job, observation, symbols));
  const report::Run& run = results.runs.back();
  // Before anything is written, which a full disk may end.
  show(run, observation.snapshots);
  if (!run.as_declared || options.keep) {
    keep(writer.folder().run_folder(run.scenario), observation, options.fellows);
  }
  writer.finish(results);
  if (run.status == report::Status::error) throw run::MachineError(run.reason);
  if (run.status == report::Status::judged) {
    print(fmt::format("Results: {}\n", writer.folder().path().string()));
  }
  return run.as_declared ? kAsDeclared : kDiffers;
}

int diagnose(const Options& options) {
  const std::vector<record::Snapshot> snapshots = load(options.first);
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
  name_callers(verdict, symbols);
  add_unseen(snapshots, verdict);
  print_verdict(verdict, snapshots);
  return kDiffers;
}

}  // namespace gridlock::cli
