// Writes results.json, report.md, and the files that the user asked for.
#include "harness/session/results/writer.h"

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/report/formats/json.h"
#include "harness/report/formats/junit.h"
#include "harness/report/formats/markdown.h"

namespace gridlock::session {

void check_writable(const std::filesystem::path& file) {
  if (file.empty()) return;
  try {
    gridlock::check_writable(file);
  } catch (const MachineError& error) {
    throw UsageError(error.what());
  }
}

Writer::Writer(const Outputs& wanted, const std::string& backend)
    : wanted_(wanted), folder_(wanted.folder, backend) {
  check_writable(wanted_.json);
  check_writable(wanted_.junit);
  check_writable(wanted_.exports);
}

void Writer::update(const report::Results& results) {
  const Clock::time_point before = Clock::now();
  if (before < not_before_) return;
  write_file(folder_.path() / "results.json", report::to_json(results));
  constexpr int kShare = 20;  // of the session's time
  const Clock::time_point after = Clock::now();
  not_before_ = after + (kShare - 1) * (after - before);
}

void Writer::finish(const report::Results& results) {
  write_file(folder_.path() / "results.json", report::to_json(results));
  write_file(folder_.path() / "report.md", report::to_markdown(results));
  folder_.make_latest();
}

bool Writer::write_wanted(const report::Results& results) const {
  const bool all = write_all({{wanted_.json, [&] { return report::to_json(results); }},
                              {wanted_.junit, [&] { return report::to_junit(results); }}});
  return write_exports(wanted_.exports, results, folder_.path()) && all;
}

}  // namespace gridlock::session
