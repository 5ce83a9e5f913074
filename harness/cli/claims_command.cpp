// gridlock claims: runs what the claims need, then answers them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

#include "harness/base/error.h"
#include "harness/base/names.h"
#include "harness/catalogue/catalogue.h"
#include "harness/claims/text.h"
#include "harness/cli/command.h"
#include "harness/cli/shared_options.h"
#include "harness/report/formats/text.h"
#include "harness/session/console.h"
#include "harness/session/exit_code.h"
#include "harness/session/results/load.h"

namespace gridlock::cli {
namespace {

using claims::Needed;

struct ClaimsOptions {
  std::vector<std::string> ids;
  std::filesystem::path from;  // answer from these results; empty: run what is needed
  std::string backend = "auto";
  Ranks ranks;
  session::SessionOptions session;
  bool as_json = false;
  bool as_markdown = false;
};

bool wants(const Needed& needed, const catalogue::Scenario& scenario, const std::string& variant) {
  return needed.variant == scenario.name + "/" + variant || needed.variant == scenario.name + "/*";
}

bool wants(const Needed& needed, const std::string& scenario) {
  return needed.variant.starts_with(scenario + "/");
}

// Whether a run with this number of ranks serves a claim that fixes no number.
bool is_asked_for(int ranks, const ClaimsOptions& options) {
  const std::vector<int>& numbers = options.ranks.numbers;
  return numbers.empty() ? ranks == 0 : std::count(numbers.begin(), numbers.end(), ranks) > 0;
}

// The numbers of ranks to ask a scenario for: those that a claim fixes, and those that were asked
// for (0: its own).
std::vector<int> numbers_for(const std::vector<Needed>& all, const std::string& scenario,
                             const ClaimsOptions& options) {
  std::vector<int> numbers;
  const auto add = [&](int ranks) {
    if (std::count(numbers.begin(), numbers.end(), ranks) == 0) numbers.push_back(ranks);
  };
  for (const Needed& needed : all) {
    if (!wants(needed, scenario)) continue;
    if (needed.ranks > 0) {
      add(needed.ranks);
    } else if (options.ranks.numbers.empty()) {
      add(0);
    } else {
      std::for_each(options.ranks.numbers.begin(), options.ranks.numbers.end(), add);
    }
  }
  return numbers;
}

// The part of `all` that this installation can run. A claim without its runs stays undecided.
//   scenarios   the plan points into it; a deque, because it grows
std::vector<catalogue::Planned> plan_of(const std::vector<Needed>& all,
                                        const std::vector<std::filesystem::path>& programs,
                                        const ClaimsOptions& options,
                                        std::deque<catalogue::Scenario>& scenarios) {
  std::vector<catalogue::Planned> plan;
  for (const std::filesystem::path& program : programs) {
    const std::string name = program.filename().string();
    for (const int ranks : numbers_for(all, name, options)) {
      const catalogue::Scenario& scenario =
          scenarios.emplace_back(catalogue::describe(program, ranks));
      if (!scenario.fault.empty()) plan.push_back({.scenario = &scenario});
      for (const catalogue::Variant& variant : scenario.variants) {
        const bool is_wanted = std::any_of(all.begin(), all.end(), [&](const Needed& needed) {
          return wants(needed, scenario, variant.name) &&
                 (needed.ranks == ranks || (needed.ranks == 0 && is_asked_for(ranks, options)));
        });
        const bool is_planned = std::any_of(plan.begin(), plan.end(), [&](const auto& planned) {
          return planned.variant != nullptr && planned.scenario->name == scenario.name &&
                 planned.variant->name == variant.name && planned.ranks == scenario.ranks;
        });
        if (is_wanted && !is_planned) {
          plan.push_back({.scenario = &scenario, .variant = &variant, .ranks = scenario.ranks});
        }
      }
    }
  }
  return plan;
}

void show(const std::vector<claims::Decided>& decided, const report::Results& results,
          const ClaimsOptions& options) {
  if (options.as_json) {
    session::print(claims::to_json(decided, results.context));
  } else if (options.as_markdown) {
    session::print(claims::to_markdown(decided));
  } else {
    const std::size_t columns = std::min(session::terminal_columns(), report::kReportColumns);
    session::print(claims::to_text(decided, columns));
  }
}

// A difference from the prediction is a result, not an error.
int exit_code(const std::vector<claims::Decided>& decided, const report::Results& results) {
  const bool all_open = std::all_of(
      decided.begin(), decided.end(),
      [](const claims::Decided& each) { return each.answer.kind == claims::Kind::undecided; });
  if (!all_open) return session::kAsDeclared;
  return report::summarise(results.runs).errors > 0 ? session::kNothingConcluded
                                                    : session::kCannotRun;
}

std::vector<const claims::Claim*> selected(const ClaimsOptions& options) {
  std::vector<std::string> unknown;
  std::vector<const claims::Claim*> claims = claims::select(options.ids, unknown);
  if (!unknown.empty()) {
    std::vector<std::string> ids;
    for (const claims::Claim& claim : claims::all_claims()) ids.emplace_back(claim.id);
    const std::string like = nearest(claims::upper(unknown.front()), ids);
    throw UsageError(fmt::format(
        "there is no claim \"{}\"; {}give ids from A1 to E10, or the letter of a note",
        unknown.front(), like.empty() ? "" : fmt::format("did you mean {}? Else ", like)));
  }
  return claims;
}

int answer_claims(const ClaimsOptions& options, run::Fellows* fellows) {
  const std::vector<const claims::Claim*> asked = selected(options);
  const auto answer = [&](const report::Results& results) {
    const auto decided = claims::decide(asked, results);
    show(decided, results, options);
    return exit_code(decided, results);
  };
  if (!options.from.empty()) return answer(session::load_results(options.from));

  const session::Site site = session::find_usable_site(options.backend, fellows);
  std::deque<catalogue::Scenario> scenarios;
  const auto plan =
      plan_of(claims::needed_for(asked), catalogue::programs(site.installation, site.backend),
              options, scenarios);
  raise_descriptor_limit();
  session::SessionOptions runs = options.session;
  runs.job.utilisation = std::any_of(asked.begin(), asked.end(),
                                     [](const claims::Claim* claim) { return claim->id == "B5"; });
  runs.quiet = options.as_json || options.as_markdown || isatty(STDOUT_FILENO) != 1;
  session::Session session(runs, site, plan);
  return answer(session.collect());
}

}  // namespace

Command claims_command(CLI::App& app) {
  auto options = std::make_shared<ClaimsOptions>();
  CLI::App* command =
      app.add_subcommand("claims", "answer the claims of the field notes by running them");
  command->add_option("IDS", options->ids, "claims (A5) or whole notes (A) [all]");
  command
      ->add_option("--from", options->from,
                   "answer from this results folder or results.json, and run nothing")
      ->type_name("DIR");
  add_ranks(*command, options->ranks, "number of ranks, or several [the scenario's own]");
  add_backend(*command, options->backend);
  add_repeat(*command, options->session.repeat);
  add_output(*command, options->session.outputs);
  add_quiet(*command, options->session.outputs);
  CLI::Option* json = command->add_flag("--json", options->as_json, "print JSON");
  command->add_flag("--markdown", options->as_markdown, "print a Markdown table")->excludes(json);
  return command_of(command, options, answer_claims, true);
}

}  // namespace gridlock::cli
