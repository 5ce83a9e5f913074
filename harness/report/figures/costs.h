// What each cure costs, and which cure of a scenario is the cheapest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/figures/statistics.h"
#include "harness/report/results.h"

namespace gridlock::report {

// Step time of a fix divided by that of its control.
struct Cost {
  std::string scenario;
  std::string variant;
  std::string control;  // "" if the scenario has none
  int ranks = 0;
  std::optional<Spread> ratio;
  std::string why_not;  // why there is no ratio
};

// The cheapest cure of a scenario, by its median.
struct Cheapest {
  std::string scenario;
  int ranks = 0;
  std::string variant;
  double ratio = 0;
  bool has_cost = true;            // false: its quartiles enclose 1, so no cost was measured
  std::vector<std::string> alike;  // cures whose quartiles overlap its own: no difference measured
  int measured = 0;                // number of cures that were compared
};

// The costs of all fixes, scenario by scenario, in the order in which they were first run.
std::vector<Cost> costs_of(const std::vector<Run>& runs);

// One for each scenario and number of ranks that has a fix with a ratio.
std::vector<Cheapest> cheapest_of(const std::vector<Cost>& costs);

// "cheapest cure: join (1.77x); no difference measured to stop_together"
std::string to_text(const Cheapest& cheapest);

// Whether some cure was measured more than once. Otherwise a list is not worth printing.
bool is_repeated(const std::vector<Cost>& costs);

// The list for a terminal: a line for each cure, and each scenario's cheapest; "" if no cure was
// measured more than once.
std::string cost_text(const std::vector<Cost>& costs);

}  // namespace gridlock::report
