// Median and spread over repetitions.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gridlock::report {

struct Spread {
  double median = 0;
  double least = 0;
  double greatest = 0;
  double lower = 0;  // quartiles
  double upper = 0;
  double percentile_99 = 0;
  std::size_t count = 0;
};

// Nothing if there are no values.
std::optional<Spread> spread(std::vector<double> values);

// "1.24 (1.10-1.60, n=5)"; "1.24" for one value; "-" for none.
std::string to_text(const std::optional<Spread>& spread);

}  // namespace gridlock::report
