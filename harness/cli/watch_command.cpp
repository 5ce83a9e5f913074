// gridlock watch and diagnose: verdicts on programs that declare nothing.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/catalogue/gpus.h"
#include "harness/catalogue/nccls.h"
#include "harness/cli/command.h"
#include "harness/cli/parsed.h"
#include "harness/cli/shared_options.h"
#include "harness/detect/judge.h"
#include "harness/detect/stall.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/processes/mpiexec.h"
#include "harness/report/formats/json.h"
#include "harness/report/formats/text.h"
#include "harness/run/ending.h"
#include "harness/run/look/kernel/programs/unseen_cuda.h"
#include "harness/run/watch.h"
#include "harness/session/console.h"
#include "harness/session/context.h"
#include "harness/session/exit_code.h"
#include "harness/session/onlooker.h"
#include "harness/session/results/keep.h"
#include "harness/session/results/page.h"
#include "harness/session/results/timelines.h"
#include "harness/session/results/writer.h"
#include "harness/session/run_result.h"

namespace gridlock::cli {
namespace {

struct WatchOptions {
  std::vector<std::string> program;  // with its arguments
  Ranks ranks;
  session::JobOptions job;
  bool by_program = false;  // the program starts the ranks itself
  bool kill_on_stall = false;
  bool share_gpus = false;  // there may be more ranks than GPUs
  std::string nccl = kOwnNccl;
  session::Outputs outputs;
};

struct DiagnoseOptions {
  std::filesystem::path boxes;
  bool strict = false;
  session::Outputs outputs;  // no folder: no page
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
  if (job.by_program && options.ranks.numbers.empty()) {
    throw UsageError(
        "--ranks-by-program needs -n with the number of ranks that the program starts, as in "
        "`gridlock watch --ranks-by-program -n 8 -- torchrun --nproc-per-node 8 train.py`");
  }
  if (job.by_program && options.share_gpus) {
    // Each rank needs its own variables, and a launcher's ranks inherit the same.
    throw UsageError(
        "--share-gpus gives each rank its own NCCL_HOSTID, which a launcher's ranks cannot get; "
        "start them with -n in place of --ranks-by-program, or set NCCL_HOSTID in each rank");
  }
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
  // A separate limit, but always shorter than the stall limit.
  job.assumption_bound = std::clamp(job.stall_limit / 2, kAssumptionBound, kWatchAssumptionBound);
  job.run_limit = options.job.run_limit;
  return job;
}

// Prints a proof without its explanation, but always with what the recorder could not see.
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

// How the ranks ended, as kept with the boxes.
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
    // Before the program runs, nobody knows its NCCL version, so it gets settings that all versions
    // accept.
    if (gpus.count == 0) {
      throw CannotRun(fmt::format("there is no GPU to share: {}", gpus.fault));
    }
    job.gpus = run::GpuSet{.count = gpus.count, .nccl_version = 0};
  }
  const bool from_source = options.nccl != kOwnNccl;
  if (from_source) {
    const catalogue::Nccl nccl = catalogue::find_nccl(installation, options.nccl);
    job.environment = catalogue::environment_of(nccl, installation);
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
  const auto tell = [&](detect::Verdict verdict, std::span<const record::Snapshot> snapshots) {
    session::name_callers(verdict, symbols);
    session::add_unseen(snapshots, verdict);
    onlooker.clear();
    session::print("\ngridlock: ");
    print_verdict(verdict, snapshots);
  };
  job.on_long_waits = [&](detect::Verdict verdict, std::span<const record::Snapshot> snapshots) {
    tell(std::move(verdict), snapshots);
    session::print("  Gridlock goes on watching: not all of the job stands still.\n");
  };
  if (!options.kill_on_stall) {
    job.on_stall = [&](detect::Verdict verdict, std::span<const record::Snapshot> snapshots) {
      tell(std::move(verdict), snapshots);
      session::print("  Gridlock goes on watching; --on-stall kill would end the job here.\n");
    };
  }
  const run::Observation observation = run::watch(job, installation, interrupts, fellows);
  onlooker.clear();
  session::add_agents(results.context, fellows);
  if (!observation.snapshots.empty()) {
    const record::Snapshot& first = observation.snapshots.front();
    results.context.nccl = session::nccl_version_text(first.nccl_version);
    if (!first.backend.empty()) session::set_backend(results.context, first.backend);
  }
  results.runs.push_back(session::watched_run(job, observation, symbols));
  report::Run& run = results.runs.back();
  // Shows the verdict first, because writing the results may fail on a full disk.
  show(run, observation.snapshots);
  bool all_written = true;
  if (!run.as_declared || options.outputs.exports.need_boxes()) {
    run.kept = run.scenario;
    all_written &= session::written(
        [&] { session::keep(writer.folder().run_folder(run.kept), observation, fellows); });
    if (!all_written) run.kept.clear();
  }
  const bool has_results = session::written([&] { writer.finish(results); });
  if (run.status == report::Status::judged) {
    const std::filesystem::path& folder = writer.folder().path();
    session::print(fmt::format("Results: {}\n", folder.string()));
    session::keep_timeline(folder, session::run_name(run),
                           session::timeline_of(observation, symbols));
    session::show_page(folder, session::page_of(folder, results), options.outputs.open);
  }
  all_written &= writer.write_wanted(results);
  if (run.status == report::Status::error) throw MachineError(run.reason);
  if (!has_results) return session::kNothingConcluded;
  return session::with_files(run.as_declared ? session::kAsDeclared : session::kDiffers,
                             all_written);
}

// Writes the page of the kept run, as a session with one run.
void write_page(const DiagnoseOptions& options, std::span<const record::Snapshot> snapshots,
                const detect::Verdict& verdict, run::Symbols& symbols) {
  report::Results results;
  results.context = session::make_context("watch", {static_cast<int>(snapshots.size())});
  report::Run& run = results.runs.emplace_back();
  run.scenario = std::filesystem::absolute(options.boxes).lexically_normal().filename().string();
  if (run.scenario.empty()) run.scenario = "run";
  run.role = "watch";
  run.ranks = static_cast<int>(snapshots.size());
  run.verdict = verdict;
  run.as_declared = verdict.outcome == detect::Outcome::completes;
  const session::ResultsFolder folder(options.outputs.folder, "diagnose", session::Earlier::keep);
  session::keep_timeline(folder.path(), session::run_name(run),
                         session::timeline_of(snapshots, verdict, symbols));
  write_file(folder.path() / "results.json", report::to_json(results));
  session::show_page(folder.path(), session::page_of(folder.path(), results), options.outputs.open);
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
  if (!options.outputs.folder.empty()) write_page(options, snapshots, verdict, symbols);
  return session::kDiffers;
}

}  // namespace

Command watch_command(CLI::App& app) {
  auto options = std::make_shared<WatchOptions>();
  CLI::App* command =
      app.add_subcommand("watch", "run your own program and say why it hangs, if it does");
  add_ranks(*command, options->ranks,
            "number of ranks [1], also of those that a launcher starts; 3+5 starts 3 on the first "
            "of two agents and 5 on the second");
  add_launcher(*command, options->job.by_mpiexec, "own");
  add_nccl(*command, options->nccl);
  command
      ->add_option(
          "--on-stall", parsed_by([options](const std::string& text) {
            if (text != "kill" && text != "report") {
              throw UsageError("--on-stall takes kill or report");
            }
            options->kill_on_stall = text == "kill";
          }),
          "what to do at a stall, which is not a proof: `report` it and go on watching, or "
          "`kill` the job [report]")
      ->type_name("kill|report");
  command->add_flag("--ranks-by-program", options->by_program,
                    "PROGRAM is a launcher (torchrun, mpiexec) and starts the ranks itself");
  command->add_flag("--share-gpus", options->share_gpus,
                    "let NCCL accept several ranks on one GPU, if there are fewer GPUs than "
                    "ranks");
  add_output(*command, options->outputs);
  add_files(*command, options->outputs, "results.json");
  add_exports(*command, options->outputs.exports);
  add_quiet(*command, options->outputs);
  add_open(*command, options->outputs);
  add_limits(*command, options->job);
  command->add_option("PROGRAM", options->program, "the program and its arguments, after --");
  return command_of(command, options, watch, true);
}

Command diagnose_command(CLI::App& app) {
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command =
      app.add_subcommand("diagnose", "give the verdict on the black boxes of a kept run");
  command->add_option("BOXES", options->boxes, "folder of the run, with its rank<r>.box")
      ->type_name("DIR")
      ->required();
  add_strict(*command, options->strict);
  command
      ->add_option("--output", options->outputs.folder,
                   "also write a page of the run (index.html) into this folder")
      ->type_name("DIR");
  add_open(*command, options->outputs);
  return command_of(command, options, diagnose, false);
}

}  // namespace gridlock::cli
