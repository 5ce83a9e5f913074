// Writes marks and figures, and cuts the progress line to the terminal's width.
#include "harness/report/formats/line.h"

#include <fmt/format.h>

#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/groups.h"
#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

std::string mark(const Run& run) {
  if (run.status == Status::skipped) return "skip";
  if (run.status == Status::error) return "ERROR";
  if (run.expected.empty()) return "";
  return run.as_declared ? "ok" : "WRONG";
}

std::string figures_of(const Run& run) {
  std::string text;
  if (run.time_to_detect_ms) {
    text += fmt::format(", detected in {}", milliseconds(run.time_to_detect_ms));
  }
  if (run.step_time_us) text += fmt::format(", step {:.0f} us", *run.step_time_us);
  if (run.fix_cost) text += fmt::format(", cost {:.2f}x", *run.fix_cost);
  if (run.score && *run.score < 5) text += fmt::format(", score {}", *run.score);
  if (run.noise && *run.noise > 0) text += fmt::format(", {} wrongly accused", *run.noise);
  return text;
}

}  // namespace

std::string run_line(const Run& run) {
  const std::string what =
      run.status == Status::judged ? headline(run.verdict) + figures_of(run) : run.reason;
  const std::string again = run.repetition > 0 ? fmt::format(" #{}", run.repetition + 1) : "";
  return fmt::format("{:<5} {}{} ({} {}): {}\n", mark(run), full_name(run), again, run.ranks,
                     run.ranks == 1 ? "rank" : "ranks", what);
}

std::string progress_line(const Progress& progress, std::size_t columns) {
  std::string counts = fmt::format("{}", progress.done);
  if (progress.planned > 0) counts += fmt::format("/{}", progress.planned);
  if (progress.differing > 0) counts += fmt::format(", {} differ", progress.differing);
  return cut(fmt::format("[{}] {}", counts, progress.current), columns);
}

}  // namespace gridlock::report
