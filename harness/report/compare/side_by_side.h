// Sessions side by side: what they ran on, and every variant's verdicts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::report {

struct Row {
  std::string name;
  std::vector<std::string> cells;  // by session; "" if it has none
  bool differs = false;            // not all cells are equal
};

// The columns are the sessions, named as on the command line.
struct SideBySide {
  std::vector<std::string> sessions;
  std::vector<Row> contexts;
  std::vector<Row> verdicts;  // "scenario/variant (4 ranks)"
};

// What a cell of the verdicts holds. Rows differ by their verdicts; a time never makes one differ.
enum class Cells : std::uint8_t {
  verdicts,
  verdicts_and_times,  // "deadlock (cycle), 1.24 ms": also the median time to detect
};

SideBySide side_by_side(const std::vector<Results>& sessions, const std::vector<std::string>& names,
                        Cells cells = Cells::verdicts);

}  // namespace gridlock::report
