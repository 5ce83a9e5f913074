// Matches patterns with names, and parses numbers of ranks.
#include "harness/catalogue/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "harness/base/error.h"
#include "harness/base/limits.h"
#include "harness/base/names.h"

namespace gridlock::catalogue {
namespace {

namespace fs = std::filesystem;

struct Pattern {
  std::string scenario;
  std::string variant;  // "*" if none is given
};

Pattern parse(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return {.scenario = text, .variant = "*"};
  return {.scenario = text.substr(0, slash), .variant = text.substr(slash + 1)};
}

std::string suggestion(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string like = nearest(name, candidates);
  return like.empty() ? "`gridlock list` shows them all" : fmt::format("did you mean {}?", like);
}

bool fits_scenario(const std::string& pattern, const std::string& name) {
  return fits(parse(pattern).scenario, name);
}

bool wants(const std::vector<std::string>& patterns, const Scenario& scenario,
           const std::string& variant) {
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(), [&](const std::string& text) {
           const Pattern pattern = parse(text);
           return fits(pattern.scenario, scenario.name) && fits(pattern.variant, variant);
         });
}

void check_variants(const std::vector<Scenario>& scenarios, const std::string& text) {
  const Pattern pattern = parse(text);
  std::vector<std::string> names;
  for (const Scenario& scenario : scenarios) {
    if (!fits(pattern.scenario, scenario.name)) continue;
    if (!scenario.fault.empty()) return;  // its run will report the fault
    for (const Variant& variant : scenario.variants) {
      if (fits(pattern.variant, variant.name)) return;
      names.push_back(variant.name);
    }
  }
  throw UsageError(fmt::format("there is no variant \"{}\" in {}; {}", pattern.variant,
                               pattern.scenario, suggestion(pattern.variant, names)));
}

// Parses "1,2+3" into the terms of each sum.
std::vector<std::vector<int>> parse_sums(const std::string& text) {
  std::vector<std::vector<int>> sums{{}};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    int term = 0;
    const auto [stop, error] = std::from_chars(at, end, term);
    const bool is_whole = stop == end || *stop == ',';
    const bool is_term =
        error == std::errc() && term >= 0 && term <= kMaxRanks && (is_whole || *stop == '+');
    std::vector<int>& terms = sums.back();
    terms.push_back(is_term ? term : 0);
    const int sum = std::accumulate(terms.begin(), terms.end(), 0);
    if (!is_term || sum > kMaxRanks || (is_whole && sum < 1)) {
      throw UsageError(fmt::format(
          "\"{}\" is not a number of ranks; give one from 1 to {}, several with commas (2,4,8), or "
          "one for each agent (3+5)",
          text, kMaxRanks));
    }
    if (stop == end) return sums;
    if (is_whole) sums.emplace_back();
    at = stop + 1;
  }
}

}  // namespace

std::vector<int> parse_ranks(const std::string& text) {
  std::vector<int> sums;
  for (const std::vector<int>& terms : parse_sums(text)) {
    sums.push_back(std::accumulate(terms.begin(), terms.end(), 0));
  }
  return sums;
}

std::vector<std::vector<int>> parse_splits(const std::string& text) {
  std::vector<std::vector<int>> splits = parse_sums(text);
  for (std::vector<int>& terms : splits) {
    if (terms.size() == 1) terms.clear();
  }
  return splits;
}

std::vector<fs::path> select_programs(const std::vector<fs::path>& programs,
                                      const std::vector<std::string>& patterns) {
  if (patterns.empty()) return programs;
  std::vector<std::string> names;
  names.reserve(programs.size());
  for (const fs::path& program : programs) names.push_back(program.filename().string());
  for (const std::string& pattern : patterns) {
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return fits_scenario(pattern, name); })) {
      const std::string wanted = parse(pattern).scenario;
      throw UsageError(
          fmt::format("there is no scenario \"{}\"; {}", wanted, suggestion(wanted, names)));
    }
  }
  std::vector<fs::path> selected;
  std::copy_if(programs.begin(), programs.end(), std::back_inserter(selected),
               [&](const fs::path& program) {
                 return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) {
                   return fits_scenario(pattern, program.filename().string());
                 });
               });
  return selected;
}

std::vector<Planned> plan(const std::vector<Scenario>& scenarios,
                          const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) check_variants(scenarios, pattern);
  std::vector<Planned> runs;
  for (const Scenario& scenario : scenarios) {
    if (!scenario.fault.empty()) runs.push_back({.scenario = &scenario});
    for (const Variant& variant : scenario.variants) {
      if (!wants(patterns, scenario, variant.name)) continue;
      runs.push_back({.scenario = &scenario, .variant = &variant, .ranks = scenario.ranks});
    }
  }
  return runs;
}

const Variant* control_of(const Scenario& scenario, const Variant& fix) {
  if (fix.role != "fix" || !fix.needs.empty()) return nullptr;
  const auto control =
      std::find_if(scenario.variants.begin(), scenario.variants.end(), [&](const Variant& variant) {
        const bool is_named = fix.control.empty() || variant.name == fix.control;
        return variant.role == "control" && variant.needs.empty() && is_named;
      });
  return control == scenario.variants.end() ? nullptr : &*control;
}

}  // namespace gridlock::catalogue
