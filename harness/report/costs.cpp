// Medians of ratios, compared.
#include "harness/report/costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/groups.h"
#include "harness/report/text.h"

namespace gridlock::report {
namespace {

void mark_cheapest(std::vector<Cost*> cures) {
  if (cures.size() < 2) return;
  std::sort(cures.begin(), cures.end(), [](const Cost* one, const Cost* other) {
    return one->ratio.median < other->ratio.median;
  });
  cures[0]->is_cheapest = true;
  cures[0]->is_clear = cures[0]->ratio.upper < cures[1]->ratio.lower;
}

}  // namespace

std::vector<Cost> costs_of(const std::vector<Run>& runs) {
  std::vector<Cost> costs;
  for (const Group& group : groups_of(runs)) {
    const auto ratio = spread_of(group, &Run::fix_cost);
    if (!ratio) continue;
    const Run& run = *group.runs.front();
    costs.push_back(
        {.scenario = run.scenario, .variant = run.variant, .ranks = run.ranks, .ratio = *ratio});
  }
  for (const Cost& first : costs) {
    std::vector<Cost*> cures;
    for (Cost& cost : costs) {
      if (cost.scenario == first.scenario && cost.ranks == first.ranks) cures.push_back(&cost);
    }
    if (cures.front() == &first) mark_cheapest(cures);
  }
  return costs;
}

std::string_view rank_text(const Cost& cost) {
  if (!cost.is_cheapest) return "";
  return cost.is_clear ? "cheapest" : "cheapest, not clearly";
}

std::string cost_text(const std::vector<Cost>& costs) {
  std::string text;
  for (const Cost& cost : costs) {
    if (cost.ratio.count < 2) continue;
    if (text.empty())
      text = "Cost of the cures: step time over the control's, median (quartiles)\n";
    const std::string name = fmt::format("{}/{}", cost.scenario, cost.variant);
    std::string line = fmt::format(
        "  {}{:>3} ranks  {:.2f}x ({:.2f}-{:.2f}), n={}  {}", padded(name, 50), cost.ranks,
        cost.ratio.median, cost.ratio.lower, cost.ratio.upper, cost.ratio.count, rank_text(cost));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace gridlock::report
