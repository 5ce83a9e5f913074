// gridlock compare: what an upgrade has changed.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "harness/base/error.h"
#include "harness/cli/command.h"
#include "harness/cli/parsed.h"
#include "harness/report/compare/formats.h"
#include "harness/report/figures/parity.h"
#include "harness/session/console.h"
#include "harness/session/exit_code.h"
#include "harness/session/load.h"

namespace gridlock::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> sessions;
  bool parity = false;  // the first is of the back end sim, the second of cuda
  bool all = false;
  report::Noise noise;
  bool as_markdown = false;
  bool as_json = false;
  bool as_html = false;
};

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

double parse_percent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  double percent = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !std::isfinite(percent) || percent < 0) {
    throw UsageError(
        fmt::format("\"{}\" is no threshold; give a share in percent from 0 on, e.g. 10", text));
  }
  constexpr double kPercent = 100;
  return percent / kPercent;
}

int compare(const CompareOptions& options, run::Fellows*) {
  if (options.sessions.size() < 2) {
    throw UsageError("compare needs two sessions: gridlock compare BASE NEW");
  }
  if (options.parity) {
    if (options.sessions.size() != 2) throw UsageError("--parity takes two sessions");
    return compare_back_ends(session::load_results(options.sessions[0]),
                             session::load_results(options.sessions[1]));
  }
  std::vector<report::Results> sessions;
  for (const std::string& path : options.sessions) sessions.push_back(session::load_results(path));
  report::Comparison comparison{.sessions = report::side_by_side(sessions, options.sessions),
                                .changes = {},
                                .noise = options.noise,
                                .all_rows = options.all};
  for (std::size_t i = 1; i < sessions.size(); ++i) {
    comparison.changes.push_back(
        report::changes_between(sessions.front(), sessions[i], options.noise));
  }
  session::print(options.as_json       ? report::to_json(comparison)
                 : options.as_markdown ? report::to_markdown(comparison)
                 : options.as_html     ? report::to_html(comparison)
                                       : report::to_text(comparison));
  return comparison.got_worse() ? session::kDiffers : session::kAsDeclared;
}

}  // namespace

Command compare_command(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "say what is different, and what is worse, in newer sessions");
  command
      ->add_option("RESULTS", options->sessions,
                   "BASE NEW [MORE...]: results folders, or results.json; three or more give a "
                   "matrix of verdicts")
      ->type_name("DIR")
      ->required();
  command->add_flag("--all", options->all,
                    "show the variants with the same verdict everywhere too");
  command
      ->add_option("--threshold", parsed_by([options](const std::string& text) {
                     options->noise.threshold = parse_percent(text);
                   }),
                   "a time or cost must have moved by this many percent to be named [10]")
      ->type_name("PERCENT");
  CLI::Option* json = command->add_flag("--json", options->as_json, "print JSON");
  CLI::Option* markdown =
      command->add_flag("--markdown", options->as_markdown, "print Markdown")->excludes(json);
  command->add_flag("--html", options->as_html, "print a page of HTML")
      ->excludes(json)
      ->excludes(markdown);
  command->add_flag("--parity", options->parity,
                    "compare the simulation (BASE) with GPUs (NEW) and show every difference that "
                    "no scenario declares");
  return command_of(command, options, compare, false);
}

}  // namespace gridlock::cli
