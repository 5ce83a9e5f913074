// Gathers repetitions.
#include "harness/report/figures/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace gridlock::report {
namespace {

std::string verdict_of(const Run& run) {
  if (run.status == Status::skipped) return "skipped";
  if (run.status == Status::error) return "error";
  std::string text(to_string(run.verdict.outcome));
  if (run.verdict.cause != detect::Cause::none) {
    text += fmt::format(" ({})", to_string(run.verdict.cause));
  }
  return text;
}

}  // namespace

std::vector<Group> groups_of(const std::vector<Run>& runs) {
  std::vector<Group> groups;
  std::map<std::pair<std::string, int>, std::size_t> known;  // by name and ranks
  for (const Run& run : runs) {
    const std::string name = full_name(run);
    const auto [at, is_new] = known.try_emplace({name, run.ranks}, groups.size());
    if (is_new) groups.push_back({.name = name, .role = run.role, .ranks = run.ranks, .runs = {}});
    groups[at->second].runs.push_back(&run);
  }
  return groups;
}

std::string full_name(const Run& run) {
  return run.variant.empty() ? run.scenario : run.scenario + "/" + run.variant;
}

std::optional<Spread> spread_of(const Group& group, std::optional<double> Run::*figure) {
  std::vector<double> values;
  for (const Run* run : group.runs) {
    if (run->*figure) values.push_back(*(run->*figure));
  }
  return spread(std::move(values));
}

std::vector<VerdictCount> verdicts(const Group& group) {
  std::map<std::string, int> counts;
  for (const Run* run : group.runs) ++counts[verdict_of(*run)];
  std::vector<VerdictCount> all;
  all.reserve(counts.size());
  for (const auto& [text, runs] : counts) all.push_back({.text = text, .runs = runs});
  std::stable_sort(all.begin(), all.end(), [](const VerdictCount& one, const VerdictCount& other) {
    return one.runs > other.runs;
  });
  return all;
}

std::string verdicts_text(const Group& group) {
  const std::vector<VerdictCount> all = verdicts(group);
  if (all.size() == 1) return all.front().text;
  std::string text;
  for (const auto& [verdict, runs] : all) {
    text += fmt::format("{}{} {}/{}", text.empty() ? "" : ", ", verdict, runs, group.runs.size());
  }
  return text;
}

int judged(const Group& group) {
  return static_cast<int>(std::count_if(group.runs.begin(), group.runs.end(), [](const Run* run) {
    return run->status == Status::judged;
  }));
}

int as_declared(const Group& group) {
  return static_cast<int>(std::count_if(group.runs.begin(), group.runs.end(), [](const Run* run) {
    return run->status == Status::judged && run->as_declared;
  }));
}

std::optional<int> worst_score(const Group& group) {
  std::optional<int> worst;
  for (const Run* run : group.runs) {
    if (run->score) worst = std::min(worst.value_or(*run->score), *run->score);
  }
  return worst;
}

std::optional<int> worst_noise(const Group& group) {
  std::optional<int> worst;
  for (const Run* run : group.runs) {
    if (run->noise) worst = std::max(worst.value_or(*run->noise), *run->noise);
  }
  return worst;
}

}  // namespace gridlock::report
