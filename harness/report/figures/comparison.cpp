// Verdicts as text, figures as ratios of medians.
#include "harness/report/figures/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/report/figures/groups.h"

namespace gridlock::report {
namespace {

const Group* find(const std::vector<Group>& groups, const Group& like) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
    return group.name == like.name && group.ranks == like.ranks;
  });
  return found == groups.end() ? nullptr : &*found;
}

// "detect 1.20x" where both sessions have the figure.
std::string ratio(const Group& base, const Group& fresh, const char* name,
                  std::optional<double> Run::*figure) {
  const auto before = spread_of(base, figure);
  const auto after = spread_of(fresh, figure);
  if (!before || !after || before->median <= 0) return {};
  return fmt::format("  {} {:.2f}x", name, after->median / before->median);
}

std::string ratios(const Group& base, const Group& fresh) {
  return ratio(base, fresh, "hang", &Run::time_to_hang_ms) +
         ratio(base, fresh, "detect", &Run::time_to_detect_ms) +
         ratio(base, fresh, "recover", &Run::time_to_recover_ms) +
         ratio(base, fresh, "step", &Run::step_time_us) +
         ratio(base, fresh, "cost", &Run::fix_cost);
}

}  // namespace

Comparison compare(const Results& base, const Results& fresh) {
  const std::vector<Group> before = groups_of(base.runs);
  const std::vector<Group> after = groups_of(fresh.runs);
  Comparison comparison;
  for (const Group& group : after) {
    const Group* old = find(before, group);
    std::string& text = comparison.text;
    text += fmt::format("{} ({} ranks): ", group.name, group.ranks);
    if (old == nullptr) {
      text += fmt::format("{}, only in the second\n", verdicts_text(group));
      continue;
    }
    const bool same = verdicts_text(*old) == verdicts_text(group);
    if (!same) ++comparison.differing_verdicts;
    text += same ? verdicts_text(group)
                 : fmt::format("CHANGED from {} to {}", verdicts_text(*old), verdicts_text(group));
    text += ratios(*old, group) + "\n";
  }
  for (const Group& group : before) {
    if (find(after, group) == nullptr) {
      comparison.text += fmt::format("{} ({} ranks): {}, only in the first\n", group.name,
                                     group.ranks, verdicts_text(group));
    }
  }
  comparison.text += fmt::format("{} of {} variants have another verdict\n",
                                 comparison.differing_verdicts, after.size());
  return comparison;
}

}  // namespace gridlock::report
