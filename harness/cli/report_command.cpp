// gridlock report and compare: they read the results of earlier sessions.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
#include "harness/session/page.h"

namespace gridlock::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> sessions;  // folders or files
  bool book = false;                  // write book.html instead of index.html
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

std::filesystem::path folder_of(const std::string& session) {
  const std::filesystem::path path(session);
  return std::filesystem::is_directory(path) ? path : path.parent_path();
}

// What several folders hold, for one page.
report::Page together(const std::vector<std::string>& sessions, report::Results all) {
  report::Page page;
  page.results = std::move(all);
  for (const std::string& session : sessions) {
    report::Page one = session::page_of(folder_of(session), page.results);
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

// Into --output one page of all; else each folder gets its own again.
void write_pages(const ReportOptions& options, const report::Results* all) {
  std::filesystem::path last;
  const auto write = [&](const std::filesystem::path& folder, const report::Page& page) {
    const std::filesystem::path file = session::write_page(folder, page, options.book);
    if (!file.empty()) session::print(fmt::format("Page: {}\n", file.string()));
    if (!file.empty()) last = file;
  };
  if (!options.outputs.folder.empty()) {
    write(options.outputs.folder, all == nullptr
                                      ? session::load_page(folder_of(options.sessions.front()))
                                      : together(options.sessions, *all));
  } else {
    for (const std::string& session : options.sessions) {
      const std::filesystem::path folder = folder_of(session);
      write(folder, session::load_page(folder));
    }
  }
  if (options.outputs.open && !last.empty()) session::open_page(last);
}

// Of an acceptance or a soak there is its page.
bool has_results(const std::string& session) {
  const std::filesystem::path path(session);
  std::error_code error;
  return !std::filesystem::is_directory(path, error) ||
         std::filesystem::exists(path / "results.json", error) ||
         !(std::filesystem::exists(path / "acceptance.json", error) ||
           std::filesystem::exists(path / "soak.md", error));
}

int report_sessions(const ReportOptions& options, run::Fellows*) {
  if (std::none_of(options.sessions.begin(), options.sessions.end(), has_results)) {
    if (!options.outputs.folder.empty()) {
      std::filesystem::create_directories(options.outputs.folder);
    }
    write_pages(options, nullptr);
    return session::kAsDeclared;
  }
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
  write_pages(options, &results);
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
                   "write report.md, results.json and one page of all RESULTS into this folder; "
                   "without it, each folder gets its own page again")
      ->type_name("DIR");
  command->add_flag("--book", options->book,
                    "write book.html instead of index.html: all scenarios in chapters, each with "
                    "a question before its answer");
  add_files(*command, options->outputs, "results.json");
  add_open(*command, options->outputs);
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
