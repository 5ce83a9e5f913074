// gridlock report, compare: from results that were written before.
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/cli/commands.h"
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
#include "harness/session/load.h"
#include "harness/session/results_folder.h"

namespace gridlock::cli {

namespace {

// Several sessions as one, as if what was run in them had been run in one.
//   Errors   UsageError where they are not of one back end
report::Results load_all(const std::vector<std::string>& paths) {
  report::Results all = session::load_results(paths.front());
  for (auto path = paths.begin() + 1; path != paths.end(); ++path) {
    report::Results more = session::load_results(*path);
    if (more.context.backend != all.context.backend) {
      throw UsageError(
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

int report(const session::Options& options) {
  const report::Results results = load_all(options.names);
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
  if (!options.output.empty()) {
    std::filesystem::create_directories(options.output);
    write_file(options.output / "report.md", report::to_markdown(results));
    write_file(options.output / "results.json", report::to_json(results));
  }
  if (!options.json.empty()) write_file(options.json, report::to_json(results));
  if (!options.junit.empty()) write_file(options.junit, report::to_junit(results));
  return session::kAsDeclared;
}

namespace {

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
    throw CannotRun("the two sessions have no variant in common that both could run");
  }
  return sums.undeclared > 0 ? session::kDiffers : session::kAsDeclared;
}

}  // namespace

int compare(const session::Options& options) {
  if (options.parity) {
    return compare_back_ends(session::load_results(options.first),
                             session::load_results(options.second));
  }
  const report::Results base = session::load_results(options.first);
  const report::Comparison comparison =
      report::compare(base, session::load_results(options.second));
  session::print(comparison.text);
  return comparison.differing_verdicts > 0 ? session::kDiffers : session::kAsDeclared;
}

}  // namespace gridlock::cli
