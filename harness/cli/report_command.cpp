// gridlock report, compare: from results that were written before.
#include <fmt/format.h>

#include "harness/cli/commands.h"
#include "harness/cli/console.h"
#include "harness/cli/load.h"
#include "harness/report/comparison.h"
#include "harness/report/groups.h"
#include "harness/report/json.h"
#include "harness/report/junit.h"
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
        fmt::format("{} is no results.json of Gridlock: {}", file.string(), error.what()));
  }
}

int report(const Options& options) {
  const report::Results results = load_results(options.first);
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
  if (!options.json.empty()) run::write_file(options.json, report::to_json(results));
  if (!options.junit.empty()) run::write_file(options.junit, report::to_junit(results));
  return kAsDeclared;
}

int compare(const Options& options) {
  const report::Results base = load_results(options.first);
  const report::Comparison comparison = report::compare(base, load_results(options.second));
  print(comparison.text);
  return comparison.differing_verdicts > 0 ? kDiffers : kAsDeclared;
}

}  // namespace gridlock::cli
