// gridlock list, explain, run.
#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/commands.h"
#include "harness/cli/console.h"
#include "harness/cli/session.h"
#include "harness/report/text.h"
#include "harness/run/catalogue.h"
#include "harness/run/error.h"
#include "harness/run/selection.h"

namespace gridlock::cli {
namespace {

// The scenarios that the command line names, asked for `ranks` ranks (0: their own number).
std::vector<run::Scenario> ask(const run::Installation& installation, const std::string& backend,
                               const std::vector<std::string>& names, int ranks) {
  std::vector<run::Scenario> scenarios;
  for (const auto& program : run::select_programs(run::programs(installation, backend), names)) {
    scenarios.push_back(run::describe(program, ranks));
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
    text += fmt::format(", {} to blame", report::ranks_text(expectation.culprits));
  }
  return text;
}

int faults(const std::vector<run::Scenario>& scenarios) {
  int count = 0;
  for (const run::Scenario& scenario : scenarios) {
    if (scenario.fault.empty()) continue;
    fmt::print(stderr, "gridlock: {}\n", scenario.fault);
    ++count;
  }
  return count > 0 ? kNothingConcluded : kAsDeclared;
}

}  // namespace

namespace {

// A row a scenario: what goes wrong, and its variants by role.
std::string markdown_list(const std::vector<run::Scenario>& scenarios) {
  std::string text = "| scenario | what goes wrong | variants |\n|---|---|---|\n";
  for (const run::Scenario& scenario : scenarios) {
    if (!scenario.fault.empty()) continue;
    std::string variants;
    for (const char* role : {"broken", "remedy", "fix", "control"}) {
      std::string names;
      for (const run::Variant& variant : scenario.variants) {
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

int list(const Options& options) {
  const run::Installation installation = run::find_installation();
  const std::string backend = run::choose_backend(installation, options.backend);
  const auto scenarios = ask(installation, backend, options.names, 0);
  if (options.as_markdown) {
    print(markdown_list(scenarios));
    return faults(scenarios);
  }
  std::string previous;
  for (const run::Planned& planned : run::plan(scenarios, options.names)) {
    if (planned.variant == nullptr) continue;
    if (planned.scenario->name != previous) {
      previous = planned.scenario->name;
      print(fmt::format("{}  ({}, {} ranks)\n    {}\n", previous, backend, planned.scenario->ranks,
                        planned.scenario->summary));
    }
    print(fmt::format("  {:<8} {}/{}  {}\n", planned.variant->role, previous, planned.variant->name,
                      planned.variant->summary));
  }
  return faults(scenarios);
}

int explain(const Options& options) {
  const run::Installation installation = run::find_installation();
  const std::string backend = run::choose_backend(installation, options.backend);
  const auto scenarios = ask(installation, backend, options.names, 0);
  for (const run::Scenario& scenario : scenarios) {
    if (!scenario.fault.empty()) continue;
    print(fmt::format("{}: {}\n\n{}\nVariants, with the verdict that each must get from {}\n",
                      scenario.name, scenario.summary, scenario.lesson,
                      scenario.ranks == 1 ? "1 rank" : fmt::format("{} ranks", scenario.ranks)));
    std::string hang;
    for (const run::Variant& variant : scenario.variants) {
      print(fmt::format("  {:<8} {}: {}\n           {}\n", variant.role, variant.name,
                        variant.summary, expectation_text(variant.expectation)));
      if (hang.empty() && variant.role == "broken") hang = "/" + variant.name;
    }
    print(fmt::format("\nRun all of it, or one variant\n  gridlock run {0}\n", scenario.name));
    if (!hang.empty()) print(fmt::format("  gridlock run {}{}\n", scenario.name, hang));
  }
  return faults(scenarios);
}

int run_scenarios(const Options& options) {
  const Site site = find_usable_site(options.backend, options.fellows);
  const std::vector<int> numbers = options.ranks.empty() ? std::vector<int>{0} : options.ranks;
  // Never resized: the plan points into it.
  std::vector<std::vector<run::Scenario>> scenarios(numbers.size());
  std::vector<run::Planned> plan;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    scenarios[i] = ask(site.installation, site.backend, options.names, numbers[i]);
    for (run::Planned planned : run::plan(scenarios[i], options.names)) {
      if (!options.splits.empty()) planned.split = options.splits[i];
      plan.push_back(std::move(planned));
    }
  }
  run::raise_descriptor_limit();
  return Session(options, site, plan).run();
}

}  // namespace gridlock::cli
