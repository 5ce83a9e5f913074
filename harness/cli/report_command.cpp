// gridlock report: from results that were written before.
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/cli/command.h"
#include "harness/cli/shared_options.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/differing.h"
#include "harness/report/figures/groups.h"
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

struct Loaded {
  report::Results results;
  std::vector<std::filesystem::path> folders;  // by run
};

// The runs of several sessions as those of one.
//   Errors   UsageError where the sessions are of different back ends
Loaded load_all(const std::vector<std::string>& paths) {
  Loaded all;
  for (const std::string& path : paths) {
    report::Results more = session::load_results(path);
    report::Context& context = all.results.context;
    if (&path == &paths.front()) context = more.context;
    if (more.context.backend != context.backend) {
      throw UsageError(
          fmt::format("{} is of the back end {} and {} of {}, so one report cannot hold both; use "
                      "gridlock compare --parity",
                      paths.front(), context.backend, path, more.context.backend));
    }
    if (more.context.commit != context.commit) context.commit = "";
    all.folders.resize(all.folders.size() + more.runs.size(), session::folder_of(path));
    std::move(more.runs.begin(), more.runs.end(), std::back_inserter(all.results.runs));
  }
  return all;
}

int report_sessions(const ReportOptions& options, run::Fellows*) {
  const Loaded loaded = load_all(options.sessions);
  const report::Results& results = loaded.results;
  session::check_writable(options.outputs.exports);
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
  const std::filesystem::path& folder = options.outputs.folder;
  const std::filesystem::path& json = options.outputs.json;
  const std::filesystem::path& junit = options.outputs.junit;
  if (!folder.empty()) {
    std::filesystem::create_directories(folder);
    write_file(folder / "report.md", report::to_markdown(results));
    write_file(folder / "results.json", report::to_json(results));
  }
  if (!json.empty()) write_file(json, report::to_json(results));
  if (!junit.empty()) write_file(junit, report::to_junit(results));
  session::write_exports(options.outputs.exports, results, loaded.folders);
  return session::kAsDeclared;
}

}  // namespace

Command report_command(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "show the table and the verdicts of a session again");
  command
      ->add_option("RESULTS", options->sessions,
                   "results folder or results.json; several are put together")
      ->type_name("DIR")
      ->required();
  command
      ->add_option("--output", options->outputs.folder,
                   "also write report.md and results.json into this folder")
      ->type_name("DIR");
  add_files(*command, options->outputs, "results.json");
  add_exports(*command, options->outputs.exports);
  return command_of(command, options, report_sessions, false);
}

}  // namespace gridlock::cli
