// Turns a command line's patterns and numbers of ranks into runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"

namespace gridlock::catalogue {

// One variant with one number of ranks.
struct Planned {
  const Scenario* scenario = nullptr;
  const Variant* variant = nullptr;  // null: the scenario's program did not answer
  int ranks = 0;
  std::vector<int> split = {};  // how many each agent starts; empty: evenly
};

// Parses "1,2,4"; "3+5" is 8.
//   Errors   UsageError if one is not a number from 1 to kMaxRanks
std::vector<int> parse_ranks(const std::string& text);
// How each of those numbers is split between agents: {{}, {3, 5}} for "4,3+5".
//   Errors   as above
std::vector<std::vector<int>> parse_splits(const std::string& text);

// The programs that `patterns` (scenario[/variant], with shell wildcards) ask for. No pattern means
// all.
//   Errors   UsageError for a pattern that no program fits, naming the nearest one
std::vector<std::filesystem::path> select_programs(
    const std::vector<std::filesystem::path>& programs, const std::vector<std::string>& patterns);

// The runs that `patterns` ask for, in the order of `scenarios` and their variants.
//   Errors   UsageError for a pattern that no variant fits, naming the nearest one
//   The plan points into `scenarios`.
std::vector<Planned> plan(const std::vector<Scenario>& scenarios,
                          const std::vector<std::string>& patterns);

// The control that the cost of `fix` is measured against: the one that it names, else its
// scenario's first. Null if `fix` is not a fix, or if one of the two cannot run with this number of
// ranks.
const Variant* control_of(const Scenario& scenario, const Variant& fix);

}  // namespace gridlock::catalogue
