// results.json, report.md, JUnit.
#include "harness/cli/writer.h"

#include "harness/report/json.h"
#include "harness/report/junit.h"
#include "harness/report/markdown.h"
#include "harness/run/error.h"

namespace gridlock::cli {

void check_writable(const std::filesystem::path& file) {
  if (file.empty()) return;
  try {
    run::check_writable(file);
  } catch (const run::MachineError& error) {
    throw run::UsageError(error.what());
  }
}

Writer::Writer(const Options& options, const std::string& backend)
    : options_(options), folder_(options.output, backend) {
  check_writable(options_.json);
  check_writable(options_.junit);
}

void Writer::update(const report::Results& results) {
  const Clock::time_point before = Clock::now();
  if (before < not_before_) return;
  run::write_file(folder_.path() / "results.json", report::to_json(results));
  constexpr int kShare = 20;  // of the session's time
  const Clock::time_point after = Clock::now();
  not_before_ = after + (kShare - 1) * (after - before);
}

void Writer::finish(const report::Results& results) {
  const std::string json = report::to_json(results);
  run::write_file(folder_.path() / "results.json", json);
  run::write_file(folder_.path() / "report.md", report::to_markdown(results));
  folder_.make_latest();
  if (!options_.json.empty()) run::write_file(options_.json, json);
  if (!options_.junit.empty()) run::write_file(options_.junit, report::to_junit(results));
}

}  // namespace gridlock::cli
