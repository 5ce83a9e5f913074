// Whether a figure changes with time: fits a line through points, robust against outliers.
#pragma once

#include <optional>
#include <vector>

namespace gridlock::accept {

struct Point {
  double at = 0;  // seconds
  double value = 0;
};

// Slope in value per second: the median of all pairs' slopes, and the interval that contains the
// true slope with 95 % confidence.
//   Source  Theil 1950; Sen 1968, Estimates of the regression coefficient based on Kendall's tau,
//           section 4 (the interval)
struct Slope {
  double median = 0;
  double lower = 0;
  double upper = 0;
  std::size_t points = 0;
};

// Nothing for fewer than 4 points, or if all have the same time. Of more than kMostPoints, only
// every n-th is used, because the number of pairs grows with the square.
constexpr std::size_t kMostPoints = 600;
std::optional<Slope> slope_of(std::vector<Point> points);

}  // namespace gridlock::accept
