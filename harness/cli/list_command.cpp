// gridlock list and explain.
#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/catalogue/listing.h"
#include "harness/cli/ask.h"
#include "harness/cli/command.h"
#include "harness/cli/shared_options.h"
#include "harness/report/formats/text.h"
#include "harness/session/console.h"
#include "harness/session/exit_code.h"

namespace gridlock::cli {
namespace {

struct ListOptions {
  std::vector<std::string> names;
  std::string backend = "auto";
  bool as_json = false;
  bool as_markdown = false;
};

std::string expectation_text(const detect::Expectation& expectation) {
  std::string text;
  for (const detect::Outcome outcome : expectation.outcomes) {
    text += fmt::format("{}{}", text.empty() ? "" : " or ", to_string(outcome));
  }
  if (expectation.cause != detect::Cause::none) {
    text += fmt::format(" ({})", to_string(expectation.cause));
  }
  if (!expectation.culprits.empty()) {
    text += fmt::format(", {} to blame", ranks_text(expectation.culprits));
  }
  return text;
}

int faults(const std::vector<catalogue::Scenario>& scenarios) {
  int count = 0;
  for (const catalogue::Scenario& scenario : scenarios) {
    if (scenario.fault.empty()) continue;
    fmt::print(stderr, "gridlock: {}\n", scenario.fault);
    ++count;
  }
  return count > 0 ? session::kNothingConcluded : session::kAsDeclared;
}

// A table row for each scenario: what goes wrong, and its variants by role.
std::string markdown_list(const std::vector<catalogue::Scenario>& scenarios) {
  std::string text = "| scenario | what goes wrong | variants |\n|---|---|---|\n";
  for (const catalogue::Scenario& scenario : scenarios) {
    if (!scenario.fault.empty()) continue;
    std::string variants;
    for (const char* role : {"broken", "remedy", "fix", "control"}) {
      std::string names;
      for (const catalogue::Variant& variant : scenario.variants) {
        if (variant.role == role) names += " " + variant.name;
      }
      if (names.empty()) continue;
      variants += fmt::format("{}*{}*:{}", variants.empty() ? "" : " · ", role, names);
    }
    text += fmt::format("| `{}` | {} | {} |\n", scenario.name, scenario.summary, variants);
  }
  return text;
}

int list(const ListOptions& options, run::Fellows*) {
  const catalogue::Installation installation = catalogue::find_installation();
  const std::string backend = catalogue::choose_backend(installation, options.backend);
  const auto scenarios = ask(installation, backend, options.names, 0);
  const auto plan = catalogue::plan(scenarios, options.names);
  if (options.as_json) {
    session::print(catalogue::to_json(plan, backend));
    return faults(scenarios);
  }
  if (options.as_markdown) {
    session::print(markdown_list(scenarios));
    return faults(scenarios);
  }
  std::string previous;
  for (const catalogue::Planned& planned : plan) {
    if (planned.variant == nullptr) continue;
    if (planned.scenario->name != previous) {
      previous = planned.scenario->name;
      session::print(fmt::format("{}  ({}, {} ranks)\n    {}\n", previous, backend,
                                 planned.scenario->ranks, planned.scenario->summary));
    }
    session::print(fmt::format("  {:<8} {}/{}  {}\n", planned.variant->role, previous,
                               planned.variant->name, planned.variant->summary));
  }
  return faults(scenarios);
}

void print_lesson(const catalogue::Scenario& scenario) {
  session::print(
      fmt::format("{}: {}\n\n{}\nVariants, with the verdict that each must get from {}\n",
                  scenario.name, scenario.summary, scenario.lesson,
                  scenario.ranks == 1 ? "1 rank" : fmt::format("{} ranks", scenario.ranks)));
  std::string hang;
  for (const catalogue::Variant& variant : scenario.variants) {
    session::print(fmt::format("  {:<8} {}: {}\n           {}\n", variant.role, variant.name,
                               variant.summary, expectation_text(variant.expectation)));
    if (hang.empty() && variant.role == "broken") hang = "/" + variant.name;
  }
  session::print(
      fmt::format("\nRun all of it, or one variant\n  gridlock run {0}\n", scenario.name));
  if (!hang.empty()) session::print(fmt::format("  gridlock run {}{}\n", scenario.name, hang));
}

int explain(const ListOptions& options, run::Fellows*) {
  const catalogue::Installation installation = catalogue::find_installation();
  const std::string backend = catalogue::choose_backend(installation, options.backend);
  const auto scenarios = ask(installation, backend, options.names, 0);
  if (options.as_json) {
    session::print(catalogue::to_json(catalogue::plan(scenarios, {}), backend));
    return faults(scenarios);
  }
  for (const catalogue::Scenario& scenario : scenarios) {
    if (scenario.fault.empty()) print_lesson(scenario);
  }
  return faults(scenarios);
}

}  // namespace

Command list_command(CLI::App& app) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = app.add_subcommand("list", "list the scenarios and their variants");
  command->add_option("NAMES", options->names, "scenario[/variant], with wildcards [all]");
  add_backend(*command, options->backend);
  CLI::Option* json = command->add_flag("--json", options->as_json, "print JSON");
  command->add_flag("--markdown", options->as_markdown, "print a Markdown table")->excludes(json);
  return command_of(command, options, list, false);
}

Command explain_command(CLI::App& app) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command =
      app.add_subcommand("explain", "explain what a scenario teaches and how to cure its hang");
  command->add_option("SCENARIO", options->names, "scenario, with wildcards")->required();
  add_backend(*command, options->backend);
  command->add_flag("--json", options->as_json, "print JSON");
  return command_of(command, options, explain, false);
}

}  // namespace gridlock::cli
