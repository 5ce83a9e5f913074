// gridlock list, explain, run.
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/selection.h"
#include "harness/cli/commands.h"
#include "harness/report/formats/text.h"
#include "harness/session/console.h"
#include "harness/session/session.h"

namespace gridlock::cli {
namespace {

// The scenarios that the command line names, asked for `ranks` ranks (0: their own number).
std::vector<catalogue::Scenario> ask(const catalogue::Installation& installation,
                                     const std::string& backend,
                                     const std::vector<std::string>& names, int ranks) {
  std::vector<catalogue::Scenario> scenarios;
  for (const auto& program :
       catalogue::select_programs(catalogue::programs(installation, backend), names)) {
    scenarios.push_back(catalogue::describe(program, ranks));
  }
  return scenarios;
}

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

}  // namespace

namespace {

// A row a scenario: what goes wrong, and its variants by role.
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

}  // namespace

int list(const session::Options& options) {
  const catalogue::Installation installation = catalogue::find_installation();
  const std::string backend = catalogue::choose_backend(installation, options.backend);
  const auto scenarios = ask(installation, backend, options.names, 0);
  if (options.as_markdown) {
    session::print(markdown_list(scenarios));
    return faults(scenarios);
  }
  std::string previous;
  for (const catalogue::Planned& planned : catalogue::plan(scenarios, options.names)) {
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

int explain(const session::Options& options) {
  const catalogue::Installation installation = catalogue::find_installation();
  const std::string backend = catalogue::choose_backend(installation, options.backend);
  const auto scenarios = ask(installation, backend, options.names, 0);
  for (const catalogue::Scenario& scenario : scenarios) {
    if (!scenario.fault.empty()) continue;
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
  return faults(scenarios);
}

int run_scenarios(const session::Options& options) {
  const session::Site site = session::find_usable_site(options.backend, options.fellows);
  const std::vector<int> numbers = options.ranks.empty() ? std::vector<int>{0} : options.ranks;
  // Never resized: the plan points into it.
  std::vector<std::vector<catalogue::Scenario>> scenarios(numbers.size());
  std::vector<catalogue::Planned> plan;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    scenarios[i] = ask(site.installation, site.backend, options.names, numbers[i]);
    for (catalogue::Planned planned : catalogue::plan(scenarios[i], options.names)) {
      if (!options.splits.empty()) planned.split = options.splits[i];
      plan.push_back(std::move(planned));
    }
  }
  raise_descriptor_limit();
  return session::Session(options, site, plan).run();
}

}  // namespace gridlock::cli
