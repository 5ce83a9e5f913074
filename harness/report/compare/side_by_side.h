// Sessions beside each other: what they ran on, and every variant's verdicts.
#pragma once

#include <string>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::report {

struct Row {
  std::string name;
  std::vector<std::string> cells;  // by session; "" where it has none
  bool differs = false;            // not all are alike
};

// Names of columns: the sessions, as the command line gave them.
struct SideBySide {
  std::vector<std::string> sessions;
  std::vector<Row> contexts;
  std::vector<Row> verdicts;  // "scenario/variant (4 ranks)"
};

SideBySide side_by_side(const std::vector<Results>& sessions,
                        const std::vector<std::string>& names);

}  // namespace gridlock::report
