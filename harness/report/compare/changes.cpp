// Groups are matched by name and number of ranks.
#include "harness/report/compare/changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "harness/report/compare/mann_whitney.h"
#include "harness/report/figures/groups.h"

namespace gridlock::report {
namespace {

struct Figure {
  const char* name;
  std::optional<double> Run::*value;
};

constexpr std::array<Figure, 5> kFigures{{{"time to hang, ms", &Run::time_to_hang_ms},
                                          {"time to detect, ms", &Run::time_to_detect_ms},
                                          {"time to recover, ms", &Run::time_to_recover_ms},
                                          {"step time, us", &Run::step_time_us},
                                          {"cost, x", &Run::fix_cost}}};

using Key = std::pair<std::string, int>;
using ByKey = std::map<Key, const Group*>;

ByKey by_key(const std::vector<Group>& groups) {
  ByKey all;
  for (const Group& group : groups) all[{group.name, group.ranks}] = &group;
  return all;
}

double share_as_declared(const Group& group) {
  const int all = judged(group);
  return all == 0 ? 0 : static_cast<double>(as_declared(group)) / all;
}

bool is_cure(const Group& group) { return group.role == "fix" || group.role == "remedy"; }

// Nothing if the verdict is the same.
std::optional<Kind> verdict_kind(const Group& before, const Group& after) {
  if (judged(before) > 0 && judged(after) == 0) return Kind::no_longer_runs;
  if (judged(before) > 0 && share_as_declared(after) < share_as_declared(before)) {
    return is_cure(after) ? Kind::cure_stopped : Kind::verdict_worse;
  }
  // The counts were compared above. Here only the set of verdicts matters.
  const auto texts = [](const Group& group) {
    std::vector<std::string> all;
    for (const VerdictCount& each : verdicts(group)) all.push_back(each.text);
    std::sort(all.begin(), all.end());
    return all;
  };
  return texts(before) == texts(after) ? std::nullopt : std::optional(Kind::verdict_changed);
}

std::vector<double> values_of(const Group& group, const Figure& figure) {
  std::vector<double> values;
  for (const Run* run : group.runs) {
    if (run->*figure.value) values.push_back(*(run->*figure.value));
  }
  return values;
}

class Comparing {
 public:
  explicit Comparing(const Noise& noise) : noise_(noise) {}

  void both(const Group& before, const Group& after) {
    ++changes_.variants;
    if (const auto kind = verdict_kind(before, after)) {
      add(*kind, after, verdicts_text(before), verdicts_text(after));
      return;  // times under different verdicts cannot be compared
    }
    for (const Figure& figure : kFigures) compare(before, after, figure);
  }

  void add(Kind kind, const Group& group, const std::string& before, const std::string& after) {
    changes_.all.push_back({.kind = kind,
                            .name = group.name,
                            .ranks = group.ranks,
                            .before = before,
                            .after = after,
                            .figure = {},
                            .moved = {}});
  }

  Changes result() && {
    std::stable_sort(changes_.all.begin(), changes_.all.end(),
                     [](const Change& one, const Change& other) { return one.kind < other.kind; });
    return std::move(changes_);
  }

 private:
  void compare(const Group& before, const Group& after, const Figure& figure) {
    const std::vector<double> old_values = values_of(before, figure);
    const std::vector<double> new_values = values_of(after, figure);
    if (old_values.empty() || new_values.empty()) return;
    if (std::min(old_values.size(), new_values.size()) < noise_.repetitions) {
      ++changes_.too_few;
      return;
    }
    ++changes_.figures;
    const MannWhitney test = mann_whitney(old_values, new_values);
    const Moved moved{.before = spread(old_values)->median,
                      .after = spread(new_values)->median,
                      .p = test.p,
                      .greater = test.greater,
                      .count_before = old_values.size(),
                      .count_after = new_values.size()};
    const bool is_far = std::abs(moved.after - moved.before) > noise_.threshold * moved.before;
    if (!is_far || moved.p >= noise_.p) return;
    add(moved.after > moved.before ? Kind::slower : Kind::faster, after, "", "");
    changes_.all.back().figure = figure.name;
    changes_.all.back().moved = moved;
  }

  Noise noise_;
  Changes changes_;
};

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, 8> kNames{"cure stopped working",
                                                   "verdict got worse",
                                                   "no longer runs",
                                                   "slower",
                                                   "verdict changed",
                                                   "faster",
                                                   "added",
                                                   "gone"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Changes changes_between(const Results& base, const Results& fresh, const Noise& noise) {
  const std::vector<Group> old_groups = groups_of(base.runs);
  const std::vector<Group> new_groups = groups_of(fresh.runs);
  const ByKey before = by_key(old_groups);
  const ByKey after = by_key(new_groups);
  Comparing comparing(noise);
  for (const Group& group : new_groups) {
    const auto old = before.find({group.name, group.ranks});
    if (old == before.end()) {
      comparing.add(Kind::added, group, "", verdicts_text(group));
    } else {
      comparing.both(*old->second, group);
    }
  }
  for (const Group& group : old_groups) {
    if (!after.contains({group.name, group.ranks})) {
      comparing.add(Kind::gone, group, verdicts_text(group), "");
    }
  }
  return std::move(comparing).result();
}

}  // namespace gridlock::report
