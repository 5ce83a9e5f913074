// gridlock report: reads the results of earlier sessions.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/base/error.h"
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
#include "harness/session/results/exports.h"
#include "harness/session/results/load.h"
#include "harness/session/results/page.h"

namespace gridlock::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> sessions;  // folders or files
  bool book = false;                  // write book.html instead of index.html
  session::Outputs outputs;
};

struct Loaded {
  report::Results results;
  std::vector<std::filesystem::path> folders;  // by run
};

// Loads the runs of several sessions as one.
//   Errors   UsageError if the sessions are of different back ends
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

// One page for the contents of several folders.
report::Page together(const std::vector<std::string>& sessions, report::Results all) {
  report::Page page;
  page.results = std::move(all);
  for (const std::string& session : sessions) {
    report::Page one = session::page_of(session::folder_of(session), page.results);
    page.timelines.merge(one.timelines);
    page.outputs.merge(one.outputs);
    for (report::ScenarioText& scenario : one.scenarios) {
      const bool is_known = std::any_of(
          page.scenarios.begin(), page.scenarios.end(),
          [&](const report::ScenarioText& known) { return known.name == scenario.name; });
      if (!is_known) page.scenarios.push_back(std::move(scenario));
    }
    std::move(one.missing.begin(), one.missing.end(), std::back_inserter(page.missing));
  }
  return page;
}

// With --output, writes one page for all folders. Otherwise each folder gets its own page again.
// Returns whether it has written all.
bool write_pages(const ReportOptions& options, const report::Results* all) {
  std::filesystem::path last;
  bool all_written = true;
  const auto write = [&](const std::filesystem::path& folder, const report::Page& page) {
    const std::filesystem::path file = session::write_page(folder, page, options.book);
    if (!file.empty()) session::print(fmt::format("Page: {}\n", file.string()));
    if (!file.empty()) last = file;
    all_written &= !file.empty();
  };
  if (!options.outputs.folder.empty()) {
    write(options.outputs.folder,
          all == nullptr ? session::load_page(session::folder_of(options.sessions.front()))
                         : together(options.sessions, *all));
  } else {
    for (const std::string& session : options.sessions) {
      const std::filesystem::path folder = session::folder_of(session);
      write(folder, session::load_page(folder));
    }
  }
  if (options.outputs.open && !last.empty()) session::open_page(last);
  return all_written;
}

// Whether the session may have runs. A folder of an acceptance or a soak has only a page.
bool has_results(const std::string& session) {
  const std::filesystem::path path(session);
  std::error_code error;
  return !std::filesystem::is_directory(path, error) ||
         std::filesystem::exists(path / "results.json", error) ||
         !(std::filesystem::exists(path / "acceptance.json", error) ||
           std::filesystem::exists(path / "soak.json", error));
}

int report_sessions(const ReportOptions& options, run::Fellows*) {
  session::check_writable(options.outputs.exports);
  // An acceptance or a soak has nothing to export. If an export is wanted, load_all refuses it.
  if (!options.outputs.exports.any() &&
      std::none_of(options.sessions.begin(), options.sessions.end(), has_results)) {
    if (!options.outputs.folder.empty()) {
      std::filesystem::create_directories(options.outputs.folder);
    }
    return session::with_files(session::kAsDeclared, write_pages(options, nullptr));
  }
  const Loaded loaded = load_all(options.sessions);
  const report::Results& results = loaded.results;
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
  if (!folder.empty()) std::filesystem::create_directories(folder);
  const auto in_folder = [&](const char* name) {
    return folder.empty() ? std::filesystem::path() : folder / name;
  };
  const auto json = [&] { return report::to_json(results); };
  bool all_written = session::write_all({
      {in_folder("report.md"), [&] { return report::to_markdown(results); }},
      {in_folder("results.json"), json},
      {options.outputs.json, json},
      {options.outputs.junit, [&] { return report::to_junit(results); }},
  });
  all_written &= session::write_exports(options.outputs.exports, results, loaded.folders);
  all_written &= write_pages(options, &results);
  return session::with_files(session::kAsDeclared, all_written);
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
                   "write report.md, results.json and one page of all RESULTS into this folder; "
                   "without it, each folder gets its own page again")
      ->type_name("DIR");
  command->add_flag("--book", options->book,
                    "write book.html instead of index.html: all scenarios in chapters, each with "
                    "a question before its answer");
  add_files(*command, options->outputs, "results.json");
  add_exports(*command, options->outputs.exports);
  add_open(*command, options->outputs);
  return command_of(command, options, report_sessions, false);
}

}  // namespace gridlock::cli
