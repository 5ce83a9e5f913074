// What each cure costs, and which of a scenario's is the cheapest.
#pragma once

#include <string>
#include <vector>

#include "harness/report/results.h"
#include "harness/report/statistics.h"

namespace gridlock::report {

// Step time of a fix over that of its scenario's control.
struct Cost {
  std::string scenario;
  std::string variant;
  int ranks = 0;
  Spread ratio;
  bool is_cheapest = false;  // by its median, of several
  // Its quartiles do not overlap those of the next cheapest one.
  bool is_clear = false;
};

// Of all fixes that have one, scenario by scenario, in the order in which they were first run.
std::vector<Cost> costs_of(const std::vector<Run>& runs);

// A line for each cure that was measured more than once; "" when there is none.
std::string cost_text(const std::vector<Cost>& costs);

// "cheapest", "cheapest, not clearly", or "".
std::string_view rank_text(const Cost& cost);

}  // namespace gridlock::report
