// gridlock report and compare: they read the results of earlier sessions.
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/cli/command.h"
#include "harness/cli/shared_options.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/comparison.h"
#include "harness/report/figures/differing.h"
#include "harness/report/figures/groups.h"
#include "harness/report/figures/parity.h"
#include "harness/report/formats/json.h"
#include "harness/report/formats/junit.h"
#include "harness/report/formats/markdown.h"
#include "harness/report/formats/table.h"
#include "harness/report/formats/text.h"
#include "harness/session/console.h"
#include "harness/session/exit_code.h"
#include "harness/session/load.h"

namespace gridlock::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> sessions;  // folders or files
  session::Outputs outputs;
};

struct CompareOptions {
  std::filesystem::path base;
  std::filesystem::path fresh;
  bool parity = false;  // base is of the back end sim, fresh of cuda
};

// Loads the runs of several sessions as one.
//   Errors   UsageError if the sessions are of different back ends
report::Results load_all(const std::vector<std::string>& paths) {
  report::Results all = session::load_results(paths.front());
  for (auto path = paths.begin() + 1; path != paths.end(); ++path) {
    report::Results more = session::load_results(*path);
    if (more.context.backend != all.context.backend) {
      throw UsageError(
          fmt::format("{} is of the back end {} and {} of {}, so one report cannot hold both; use "
                      "gridlock compare --parity",
                      paths.front(), all.context.backend, *path, more.context.backend));
    }
    if (more.context.commit != all.context.commit) all.context.commit = "";
    std::move(more.runs.begin(), more.runs.end(), std::back_inserter(all.runs));
  }
  return all;
}

int report_sessions(const ReportOptions& options, run::Fellows*) {
  const report::Results results = load_all(options.sessions);
  session::print(report::table(results));
  for (const report::Group& group : report::groups_of(results.runs)) {
    const report::Run& run = *group.runs.front();
    if (run.status == report::Status::judged && run.verdict.outcome == detect::Outcome::completes) {
      continue;
    }
    session::print(fmt::format("\n{} ({} ranks): {}", group.name, group.ranks,
                               run.status == report::Status::judged
                                   ? detect::verdict_text(run.verdict)
                                   : run.reason + "\n"));
  }
  session::print(report::differing_text(results.runs));
  const auto& [folder, json, junit] = options.outputs;
  if (!folder.empty()) {
    std::filesystem::create_directories(folder);
    write_file(folder / "report.md", report::to_markdown(results));
    write_file(folder / "results.json", report::to_json(results));
  }
  if (!json.empty()) write_file(json, report::to_json(results));
  if (!junit.empty()) write_file(junit, report::to_junit(results));
  return session::kAsDeclared;
}

int compare_back_ends(const report::Results& sim, const report::Results& cuda) {
  if (sim.context.backend != "sim" || cuda.context.backend != "cuda") {
    throw UsageError(fmt::format(
        "--parity takes a session of the back end sim and then one of cuda, not {} and {}",
        sim.context.backend, cuda.context.backend));
  }
  const auto rows = report::parity(sim, cuda);
  session::print(report::parity_text(rows));
  const report::ParitySummary sums = report::summarise(rows);
  if (sums.same + sums.declared + sums.undeclared == 0) {
    throw CannotRun("the two sessions have no common variant that both could run");
  }
  return sums.undeclared > 0 ? session::kDiffers : session::kAsDeclared;
}

int compare(const CompareOptions& options, run::Fellows*) {
  if (options.parity) {
    return compare_back_ends(session::load_results(options.base),
                             session::load_results(options.fresh));
  }
  const report::Results base = session::load_results(options.base);
  const report::Comparison comparison = report::compare(base, session::load_results(options.fresh));
  session::print(comparison.text);
  return comparison.differing_verdicts > 0 ? session::kDiffers : session::kAsDeclared;
}

}  // namespace

Command report_command(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "show the table and the verdicts of a session again");
  command
      ->add_option("RESULTS", options->sessions,
                   "results folder or results.json; several are combined")
      ->type_name("DIR")
      ->required();
  command
      ->add_option("--output", options->outputs.folder,
                   "also write report.md and results.json into this folder")
      ->type_name("DIR");
  add_files(*command, options->outputs, "results.json");
  return command_of(command, options, report_sessions, false);
}

Command compare_command(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "compare the verdicts and figures of two sessions");
  command->add_option("BASE", options->base, "results folder or results.json")
      ->type_name("DIR")
      ->required();
  command->add_option("NEW", options->fresh, "results folder or results.json")
      ->type_name("DIR")
      ->required();
  command->add_flag("--parity", options->parity,
                    "compare the simulation (BASE) with GPUs (NEW) and show every difference that "
                    "no scenario declares");
  return command_of(command, options, compare, false);
}

}  // namespace gridlock::cli
