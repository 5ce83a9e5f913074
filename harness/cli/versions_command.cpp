// gridlock versions: the same scenarios on several versions of NCCL, and what each has changed.
#include <fmt/format.h>

#include <sstream>

#include "harness/base/error.h"
#include "harness/base/file_descriptor.h"
#include "harness/cli/ask.h"
#include "harness/cli/command.h"
#include "harness/cli/parsed.h"
#include "harness/cli/shared_options.h"
#include "harness/report/compare/formats.h"
#include "harness/session/console.h"
#include "harness/session/exit_code.h"
#include "harness/session/results/exports.h"
#include "harness/session/results/writer.h"
#include "harness/session/versions.h"

namespace gridlock::cli {
namespace {

struct VersionsOptions {
  std::vector<std::string> names;
  std::vector<std::string> nccls;  // empty: all that are built
  Ranks ranks;
  session::SessionOptions session;
  bool all = false;
  std::filesystem::path json;      // empty: not wanted
  std::filesystem::path markdown;  // empty: not wanted
  std::filesystem::path html;      // empty: not wanted
};

std::vector<std::string> parse_versions(const std::string& text) {
  std::vector<std::string> versions;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    if (!part.empty()) versions.push_back(part);
  }
  if (versions.empty()) {
    throw UsageError(
        fmt::format("\"{}\" is no list of versions; give two or more, as in "
                    "--nccl 2.21.5,2.28.9",
                    text));
  }
  return versions;
}

std::vector<catalogue::Nccl> nccls_of(const VersionsOptions& options,
                                      const catalogue::Installation& installation) {
  std::vector<catalogue::Nccl> nccls = catalogue::find_nccls(installation, options.nccls);
  if (nccls.size() < 2) {
    throw UsageError(
        fmt::format("versions compares two NCCLs or more, and there is {}; "
                    "`./run_all.sh nccl VERSION` builds another",
                    nccls.empty() ? "none from source" : "only " + nccls[0].version));
  }
  return nccls;
}

report::Comparison comparison_of(const std::vector<report::Results>& results,
                                 const std::vector<catalogue::Nccl>& nccls, bool all) {
  std::vector<std::string> names;
  names.reserve(nccls.size());
  for (const catalogue::Nccl& nccl : nccls) names.push_back("NCCL " + nccl.version);
  report::Comparison comparison{
      .sessions = report::side_by_side(results, names, report::Cells::verdicts_and_times),
      .changes = {},
      .noise = {},
      .all_rows = all,
      .in_steps = true};
  for (std::size_t i = 1; i < results.size(); ++i) {
    comparison.changes.push_back(report::changes_between(results[i - 1], results[i]));
  }
  return comparison;
}

int versions(const VersionsOptions& options, run::Fellows*) {
  if (options.ranks.numbers.size() > 1) {
    throw UsageError("versions takes one number of ranks; give one with -n");
  }
  const session::Site site = session::find_usable_site("sim", nullptr);
  const std::vector<catalogue::Nccl> nccls = nccls_of(options, site.installation);
  const std::vector<catalogue::Scenario> scenarios =
      ask(site.installation, site.backend, options.names,
          options.ranks.numbers.empty() ? 0 : options.ranks.numbers.front(),
          catalogue::NcclOrigin::source);
  const std::vector<catalogue::Planned> plan = catalogue::plan(scenarios, options.names);
  raise_descriptor_limit();
  const session::ResultsFolder folder(options.session.outputs.folder, "versions");
  for (const auto& file : {options.json, options.markdown, options.html}) {
    session::check_writable(file);
  }
  const report::Comparison comparison = comparison_of(
      session::run_versions(options.session, site, nccls, plan, folder), nccls, options.all);
  session::print("\n" + report::to_text(comparison));
  const auto json = [&] { return report::to_json(comparison); };
  const auto markdown = [&] { return report::to_markdown(comparison); };
  const auto html = [&] { return report::to_html(comparison); };
  const bool all_written = session::write_all({
      {folder.path() / "versions.json", json},
      {folder.path() / "versions.md", markdown},
      {folder.path() / "versions.html", html},
      {options.json, json},
      {options.markdown, markdown},
      {options.html, html},
  });
  folder.make_latest();
  session::print(fmt::format("Results: {}\n", folder.path().string()));
  return session::with_files(comparison.got_worse() ? session::kDiffers : session::kAsDeclared,
                             all_written);
}

}  // namespace

Command versions_command(CLI::App& app) {
  auto options = std::make_shared<VersionsOptions>();
  CLI::App* command = app.add_subcommand(
      "versions", "run scenarios on several versions of the real NCCL, and show what differs");
  command->add_option("NAMES", options->names, "scenario[/variant], with wildcards [all]");
  command
      ->add_option("--nccl", parsed_by([options](const std::string& text) {
                     options->nccls = parse_versions(text);
                   }),
                   "versions that were built from source, as in 2.21.5,2.28.9 [all of them]")
      ->type_name("VERSIONS");
  add_ranks(*command, options->ranks, "number of ranks [the scenario's own]");
  add_repeat(*command, options->session.repeat);
  command->add_flag("--all", options->all,
                    "show the variants with the same verdict everywhere too");
  add_file(*command, "--json", options->json, "JSON");
  add_file(*command, "--markdown", options->markdown, "Markdown");
  add_file(*command, "--html", options->html, "a page of HTML");
  add_output(*command, options->session.outputs);
  add_quiet(*command, options->session.outputs);
  add_limits(*command, options->session.job);
  return command_of(command, options, versions, false);
}

}  // namespace gridlock::cli
