// Compares medians of ratios.
#include "harness/report/figures/costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/figures/groups.h"
#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

bool are_together(const Cost& one, const Cost& other) {
  return one.scenario == other.scenario && one.ranks == other.ranks;
}

bool has_steps(const Group& group) { return spread_of(group, &Run::step_time_us).has_value(); }

// Why a fix that was run has no ratio.
std::string why_not(const Group& fix, const std::vector<Group>& groups) {
  const Run& run = *fix.runs.front();
  if (judged(fix) == 0) return fmt::format("{}: {}", verdicts_text(fix), run.reason);
  if (!has_steps(fix)) {
    return run.verdict.outcome == detect::Outcome::completes
               ? "it times no steps"
               : fmt::format("it times no steps, and ends so: {}", verdicts_text(fix));
  }
  if (run.control.empty()) return "its scenario has no control with this number of ranks";
  const std::string name = run.scenario + "/" + run.control;
  const auto control = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
    return group.name == name && group.ranks == fix.ranks;
  });
  if (control == groups.end()) {
    return fmt::format("its control {} was not run (--cost runs it)", run.control);
  }
  return has_steps(*control) ? "it was never timed together with its control"
                             : fmt::format("its control {} times no steps", run.control);
}

Cheapest cheapest(std::vector<const Cost*> cures) {
  std::sort(cures.begin(), cures.end(), [](const Cost* one, const Cost* other) {
    return one->ratio->median < other->ratio->median;
  });
  const Cost& first = *cures.front();
  Cheapest found{.scenario = first.scenario,
                 .ranks = first.ranks,
                 .variant = first.variant,
                 .ratio = first.ratio->median,
                 .has_cost = first.ratio->lower > 1 || first.ratio->upper < 1,
                 .alike = {},
                 .measured = static_cast<int>(cures.size())};
  for (auto other = cures.begin() + 1; other != cures.end(); ++other) {
    if ((*other)->ratio->lower <= first.ratio->upper) found.alike.push_back((*other)->variant);
  }
  return found;
}

std::string row(const Cost& cost) {
  constexpr std::size_t kName = 30;
  if (!cost.ratio) {
    const std::string name = fmt::format("    {}-  not measured: ", padded(cost.variant, kName));
    return name + wrapped(cost.why_not, kReportColumns, width(name));
  }
  return fmt::format("    {}{:.2f}x ({:.2f}-{:.2f}), n={}, over {}\n", padded(cost.variant, kName),
                     cost.ratio->median, cost.ratio->lower, cost.ratio->upper, cost.ratio->count,
                     cost.control);
}

}  // namespace

std::vector<Cost> costs_of(const std::vector<Run>& runs) {
  std::vector<Cost> costs;
  const std::vector<Group> groups = groups_of(runs);
  for (const Group& group : groups) {
    if (group.role != "fix") continue;
    const Run& run = *group.runs.front();
    Cost cost{.scenario = run.scenario,
              .variant = run.variant,
              .control = run.control,
              .ranks = run.ranks,
              .ratio = spread_of(group, &Run::fix_cost),
              .why_not = {}};
    if (!cost.ratio) cost.why_not = why_not(group, groups);
    costs.push_back(std::move(cost));
  }
  return costs;
}

std::vector<Cheapest> cheapest_of(const std::vector<Cost>& costs) {
  std::vector<Cheapest> all;
  for (const Cost& first : costs) {
    std::vector<const Cost*> cures;
    for (const Cost& cost : costs) {
      if (cost.ratio && are_together(cost, first)) cures.push_back(&cost);
    }
    if (!cures.empty() && cures.front() == &first) all.push_back(cheapest(std::move(cures)));
  }
  return all;
}

std::string to_text(const Cheapest& cheapest) {
  std::string text = fmt::format("cheapest cure: {} ({:.2f}x{})", cheapest.variant, cheapest.ratio,
                                 cheapest.has_cost ? "" : ", which is no measurable cost");
  if (cheapest.measured == 1) return text + ", the only one measured";
  for (std::size_t i = 0; i < cheapest.alike.size(); ++i) {
    const bool is_last = i + 1 == cheapest.alike.size();
    text += (i == 0 ? "; no difference measured to " : is_last ? " and " : ", ");
    text += cheapest.alike[i];
  }
  return text;
}

bool is_repeated(const std::vector<Cost>& costs) {
  return std::any_of(costs.begin(), costs.end(),
                     [](const Cost& cost) { return cost.ratio && cost.ratio->count > 1; });
}

std::string cost_text(const std::vector<Cost>& costs) {
  if (!is_repeated(costs)) return {};
  const std::vector<Cheapest> cheapest = cheapest_of(costs);
  std::string text = "Cost of the cures: step time over the control's, median (quartiles)\n";
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Cost& cost = costs[i];
    if (i == 0 || !are_together(cost, costs[i - 1])) {
      text += fmt::format("  {}, {} ranks\n", cost.scenario, cost.ranks);
    }
    text += row(cost);
    if (i + 1 < costs.size() && are_together(cost, costs[i + 1])) continue;
    const auto found = std::find_if(cheapest.begin(), cheapest.end(), [&](const Cheapest& each) {
      return each.scenario == cost.scenario && each.ranks == cost.ranks;
    });
    if (found != cheapest.end()) text += "    " + wrapped(to_text(*found), kReportColumns, 4);
  }
  return text;
}

}  // namespace gridlock::report
