// gridlock report, compare: from results that were written before.
#include <fmt/format.h>

#include "harness/cli/commands.h"
#include "harness/cli/console.h"
#include "harness/cli/load.h"
#include "harness/report/comparison.h"
#include "harness/report/differing.h"
#include "harness/report/groups.h"
#include "harness/report/json.h"
#include "harness/report/junit.h"
#include "harness/report/markdown.h"
#include "harness/report/parity.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "harness/report/verdict_text.h"
#include "harness/run/error.h"
#include "harness/run/results_folder.h"

namespace gridlock::cli {

report::Results load_results(const std::filesystem::path& path) {
  const std::filesystem::path file =
      std::filesystem::is_directory(path) ? path / "results.json" : path;
  if (!std::filesystem::exists(file)) {
    throw run::UsageError(
        fmt::format("there are no results at {}: no results.json", path.string()));
  }
  const std::string text = run::read_file(file);
  try {
    return report::from_json(text);
  } catch (const report::BadResults& error) {
    throw run::UsageError(
        fmt::format("{} cannot be used as results: {}", file.string(), error.what()));
  }
}

namespace {

// Several sessions as one, as if what was run in them had been run in one.
//   Errors   UsageError where they are not of one back end
report::Results load_all(const std::vector<std::string>& paths) {
  report::Results all = load_results(paths.front());
  for (auto path = paths.begin() + 1; path != paths.end(); ++path) {
    report::Results more = load_results(*path);
    if (more.context.backend != all.context.backend) {
      throw run::UsageError(
          fmt::format("{} is of the back end {} and {} of {}: they cannot be put together; compare "
                      "them instead",
                      paths.front(), all.context.backend, *path, more.context.backend));
    }
    if (more.context.commit != all.context.commit) all.context.commit = "";
    std::move(more.runs.begin(), more.runs.end(), std::back_inserter(all.runs));
  }
  return all;
}

}  // namespace

int report(const Options& options) {
  const report::Results results = load_all(options.names);
  print(report::table(results));
  for (const report::Group& group : report::groups_of(results.runs)) {
    const report::Run& run = *group.runs.front();
    if (run.status == report::Status::judged && run.verdict.outcome == detect::Outcome::completes) {
      continue;
    }
    print(fmt::format("\n{} ({} ranks): {}", group.name, group.ranks,
                      run.status == report::Status::judged ? report::verdict_text(run.verdict)
                                                           : run.reason + "\n"));
  }
  print(report::differing_text(results.runs));
  if (!options.output.empty()) {
    std::filesystem::create_directories(options.output);
    run::write_file(options.output / "report.md", report::to_markdown(results));
    run::write_file(options.output / "results.json", report::to_json(results));
  }
  if (!options.json.empty()) run::write_file(options.json, report::to_json(results));
  if (!options.junit.empty()) run::write_file(options.junit, report::to_junit(results));
  return kAsDeclared;
}

namespace {

int compare_back_ends(const report::Results& sim, const report::Results& cuda) {
  if (sim.context.backend != "sim" || cuda.context.backend != "cuda") {
    throw run::UsageError(fmt::format(
        "--parity takes a session of the back end sim and then one of cuda, not {} and {}",
        sim.context.backend, cuda.context.backend));
  }
  const auto rows = report::parity(sim, cuda);
  print(report::parity_text(rows));
  const report::ParitySummary sums = report::summarise(rows);
  if (sums.same + sums.declared + sums.undeclared == 0) {
    throw run::CannotRun("the two sessions have no variant in common that both could run");
  }
  return sums.undeclared > 0 ? kDiffers : kAsDeclared;
}

}  // namespace

int compare(const Options& options) {
  if (options.parity) {
    return compare_back_ends(load_results(options.first), load_results(options.second));
  }
  const report::Results base = load_results(options.first);
  const report::Comparison comparison = report::compare(base, load_results(options.second));
  print(comparison.text);
  return comparison.differing_verdicts > 0 ? kDiffers : kAsDeclared;
}

}  // namespace gridlock::cli
