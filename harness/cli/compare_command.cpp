// gridlock compare: what an upgrade has changed.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "harness/base/error.h"
#include "harness/cli/command.h"
#include "harness/cli/parsed.h"
#include "harness/cli/shared_options.h"
#include "harness/report/compare/formats.h"
#include "harness/report/figures/parity.h"
#include "harness/session/console.h"
#include "harness/session/exit_code.h"
#include "harness/session/results/exports.h"
#include "harness/session/results/load.h"
#include "harness/session/results/writer.h"

namespace gridlock::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> sessions;
  bool parity = false;  // the first session ran on our own NCCL, the second on the real one
  bool all = false;
  report::Noise noise;
  std::filesystem::path json;      // empty: not wanted
  std::filesystem::path markdown;  // empty: not wanted
  std::filesystem::path html;      // empty: not wanted
};

int compare_nccls(const CompareOptions& options) {
  if (options.sessions.size() != 2) throw UsageError("--parity takes two sessions");
  if (!options.html.empty()) throw UsageError("--parity has no page of HTML; leave out --html");
  const report::Results own = session::load_results(options.sessions[0]);
  const report::Results real = session::load_results(options.sessions[1]);
  const report::ParityTable table{.rows = report::parity(own, real),
                                  .own = report::side_of(own.context),
                                  .real = report::side_of(real.context),
                                  .all = options.all};
  if (table.own != "own NCCL" || table.real == table.own) {
    throw UsageError(fmt::format(
        "--parity takes a session of our own NCCL and then one of the real NCCL (run --nccl "
        "VERSION, or --backend cuda), not {} and {}",
        table.own, table.real));
  }
  session::print(report::parity_text(table));
  const bool all_written =
      session::write_all({{options.json, [&] { return report::parity_json(table); }},
                          {options.markdown, [&] { return report::parity_markdown(table); }}});
  const report::ParitySummary sums = report::summarise(table.rows);
  if (sums.same + sums.declared + sums.undeclared == 0) {
    throw CannotRun("the two sessions have no variant in common that both could run");
  }
  return session::with_files(sums.undeclared > 0 ? session::kDiffers : session::kAsDeclared,
                             all_written);
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
  for (const auto& file : {options.json, options.markdown, options.html}) {
    session::check_writable(file);
  }
  if (options.parity) return compare_nccls(options);
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
  session::print(report::to_text(comparison));
  const bool all_written =
      session::write_all({{options.json, [&] { return report::to_json(comparison); }},
                          {options.markdown, [&] { return report::to_markdown(comparison); }},
                          {options.html, [&] { return report::to_html(comparison); }}});
  return session::with_files(comparison.got_worse() ? session::kDiffers : session::kAsDeclared,
                             all_written);
}

}  // namespace

Command compare_command(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "show what has changed, and what is worse, in newer sessions");
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
                   "show a time or cost only if it has moved by this many percent [10]")
      ->type_name("PERCENT");
  add_file(*command, "--json", options->json, "JSON");
  add_file(*command, "--markdown", options->markdown, "Markdown");
  add_file(*command, "--html", options->html, "a page of HTML");
  command->add_flag(
      "--parity", options->parity,
      "compare our own NCCL (BASE) with the real one, from source or on GPUs (NEW), and "
      "show every difference; exit 1 if a scenario does not declare it");
  return command_of(command, options, compare, false);
}

}  // namespace gridlock::cli
