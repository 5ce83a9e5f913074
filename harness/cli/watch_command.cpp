// gridlock watch, diagnose: verdicts on programs that declare nothing.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "harness/base/error.h"
#include "harness/catalogue/gpus.h"
#include "harness/cli/command.h"
#include "harness/cli/parsed.h"
#include "harness/cli/shared_options.h"
#include "harness/detect/judge.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/processes/mpiexec.h"
#include "harness/report/formats/text.h"
#include "harness/run/ending.h"
#include "harness/run/look/unseen_cuda.h"
#include "harness/run/watch.h"
#include "harness/session/console.h"
#include "harness/session/context.h"
#include "harness/session/exit_code.h"
#include "harness/session/keep.h"
#include "harness/session/onlooker.h"
#include "harness/session/run_result.h"
#include "harness/session/writer.h"

namespace gridlock::cli {
namespace {

struct WatchOptions {
  std::vector<std::string> program;  // with its arguments
  Ranks ranks;
  session::JobOptions job;
  bool by_program = false;  // the program starts the ranks itself
  bool kill_on_stall = false;
  bool share_gpus = false;  // ranks may be more than there are GPUs
  session::Outputs outputs;
};

struct DiagnoseOptions {
  std::filesystem::path boxes;
  bool strict = false;
};

run::Job job_of(const WatchOptions& options) {
  run::Job job;
  job.command = options.program;
  if (job.command.empty()) {
    throw UsageError(
        "watch needs a program to start, as in `gridlock watch -n 4 -- ./train --steps 100`");
  }
  if (options.ranks.numbers.size() > 1) {
    throw UsageError("watch starts the program once; give one number of ranks");
  }
  job.ranks = options.ranks.numbers.empty() ? 1 : options.ranks.numbers.front();
  if (!options.ranks.splits.empty()) job.split = options.ranks.splits.front();
  job.by_program = options.by_program;
  job.by_mpiexec = options.job.by_mpiexec;
  if (job.by_mpiexec) {
    if (job.by_program) {
      throw UsageError("--launcher mpiexec starts the ranks itself; leave out --ranks-by-program");
    }
    if (const std::string why = processes::why_no_mpiexec(); !why.empty()) throw CannotRun(why);
  }
  job.pass_output = true;
  job.outsiders = true;
  job.strict = options.job.strict;
  const Duration stall_limit = options.job.stall_limit;
  job.stall_limit = stall_limit.count() > 0 ? stall_limit : kWatchStallLimit;
  // A time of its own, but never as long as a stall takes.
  job.assumption_bound = std::clamp(job.stall_limit / 2, kAssumptionBound, kWatchAssumptionBound);
  job.run_limit = options.job.run_limit;
  return job;
}

// A proof is shown without its explanation, but always with what the recorder could not see.
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

bool have_ended(std::span<const record::Snapshot> snapshots) {
  return std::none_of(snapshots.begin(), snapshots.end(), [](const record::Snapshot& snapshot) {
    return snapshot.process == record::ProcessState::alive;
  });
}

// As the boxes were kept with them.
std::vector<run::RankEnd> ends_of(std::span<const record::Snapshot> snapshots) {
  std::vector<run::RankEnd> ends;
  for (const record::Snapshot& snapshot : snapshots) {
    run::RankEnd& end = ends.emplace_back();
    end.ending = processes::Ending{.signaled = snapshot.process == record::ProcessState::signaled,
                                   .code = snapshot.exit_code};
  }
  return ends;
}

std::string run_name(const run::Job& job) {
  return std::filesystem::path(job.command.front()).filename().string();
}

int watch(const WatchOptions& options, run::Fellows* fellows) {
  const catalogue::Installation installation = catalogue::find_installation();
  run::Job job = job_of(options);
  if (options.share_gpus) {
    const catalogue::Gpus gpus = catalogue::find_gpus(installation);
    // Nobody knows which NCCL the program brings before it runs, so it gets what all versions take.
    if (gpus.count == 0) {
      throw CannotRun(fmt::format("there is no GPU to share: {}", gpus.fault));
    }
    job.gpus = run::GpuSet{.count = gpus.count, .nccl_version = 0};
  }
  raise_descriptor_limit();
  processes::Interrupts interrupts;
  session::Writer writer(options.outputs, "watch");
  report::Results results;
  results.context = session::make_context("watch", {job.ranks});
  run::Symbols symbols;
  session::Onlooker onlooker(run_name(job), options.outputs.quiet);
  job.on_look = [&](std::span<const record::Snapshot> ranks) { onlooker.look(ranks); };
  job.before_output = [&] { onlooker.clear(); };
  run::OnStall on_stall;
  if (!options.kill_on_stall) {
    on_stall = [&](detect::Verdict verdict, std::span<const record::Snapshot> snapshots) {
      session::name_callers(verdict, symbols);
      session::add_unseen(snapshots, verdict);
      onlooker.clear();
      session::print("\ngridlock: ");
      print_verdict(verdict, snapshots);
      session::print("  The job is watched on; --on-stall kill would end it here.\n");
    };
  }
  const run::Observation observation = run::watch(job, installation, interrupts, fellows, on_stall);
  onlooker.clear();
  session::add_agents(results.context, fellows);
  if (!observation.snapshots.empty()) {
    const record::Snapshot& first = observation.snapshots.front();
    results.context.nccl = session::nccl_version_text(first.nccl_version);
    if (!first.backend.empty()) results.context.backend = first.backend;
  }
  results.runs.push_back(session::watched_run(job, observation, symbols));
  report::Run& run = results.runs.back();
  // A full disk may end the command when it writes the results: the verdict is shown before.
  show(run, observation.snapshots);
  if (!run.as_declared || options.outputs.exports.need_boxes()) {
    run.kept = run.scenario;
    session::keep(writer.folder().run_folder(run.kept), observation, fellows);
  }
  writer.finish(results);
  if (run.status == report::Status::error) throw MachineError(run.reason);
  if (run.status == report::Status::judged) {
    session::print(fmt::format("Results: {}\n", writer.folder().path().string()));
  }
  writer.write_exports(results);
  return run.as_declared ? session::kAsDeclared : session::kDiffers;
}

int diagnose(const DiagnoseOptions& options, run::Fellows*) {
  const std::vector<record::Snapshot> snapshots = session::load(options.boxes);
  detect::Parameters parameters;
  parameters.strict = options.strict;
  detect::Judge judge(parameters);
  const detect::Finding finding = judge.look_once(snapshots);
  detect::Verdict verdict =
      have_ended(snapshots) ? run::verdict_of_end(ends_of(snapshots), judge.ledger())
      : finding.proven      ? judge.verdict()
                            : detect::explain_stall(snapshots, parameters, &judge.ledger());
  run::Symbols symbols;
  session::name_callers(verdict, symbols);
  session::add_unseen(snapshots, verdict);
  print_verdict(verdict, snapshots);
  return session::kDiffers;
}

}  // namespace

Command watch_command(CLI::App& app) {
  auto options = std::make_shared<WatchOptions>();
  CLI::App* command =
      app.add_subcommand("watch", "run your own program and say why it hangs, if it does");
  add_ranks(*command, options->ranks,
            "number of ranks [1]; 3+5 starts 3 on the first of two agents and 5 on the second");
  add_launcher(*command, options->job.by_mpiexec, "own");
  command
      ->add_option(
          "--on-stall", parsed_by([options](const std::string& text) {
            if (text != "kill" && text != "report") {
              throw UsageError("--on-stall takes kill or report");
            }
            options->kill_on_stall = text == "kill";
          }),
          "what a stall, which is no proof, does to the job: `report` tells it and watches "
          "on, `kill` ends it [report]")
      ->type_name("kill|report");
  command->add_flag("--ranks-by-program", options->by_program,
                    "PROGRAM is a launcher (torchrun, mpiexec) and starts the ranks itself");
  command->add_flag("--share-gpus", options->share_gpus,
                    "let NCCL accept several ranks on one GPU, where there are fewer GPUs than "
                    "ranks");
  add_output(*command, options->outputs);
  add_files(*command, options->outputs, "results.json");
  add_exports(*command, options->outputs.exports);
  add_quiet(*command, options->outputs);
  add_limits(*command, options->job);
  command->add_option("PROGRAM", options->program, "the program and its arguments, after --");
  return command_of(command, options, watch, true);
}

Command diagnose_command(CLI::App& app) {
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command =
      app.add_subcommand("diagnose", "give the verdict on the black boxes of a run that was kept");
  command->add_option("BOXES", options->boxes, "folder of the run, with its rank<r>.box")
      ->type_name("DIR")
      ->required();
  add_strict(*command, options->strict);
  return command_of(command, options, diagnose, false);
}

}  // namespace gridlock::cli
