// Whether a figure changes with time: a line through points, which a few odd points do not bend.
#pragma once

#include <optional>
#include <vector>

namespace gridlock::accept {

struct Point {
  double at = 0;  // seconds
  double value = 0;
};

// Slope in value per second: the median of the slopes of all pairs, and the interval that holds the
// true one with 95 %.
//   Source  Theil 1950; Sen 1968, Estimates of the regression coefficient based on Kendall's tau,
//           section 4 (the interval)
struct Slope {
  double median = 0;
  double lower = 0;
  double upper = 0;
  std::size_t points = 0;
};

// Nothing for fewer than 4 points, or when all lie at one time. Of more than kMostPoints every n-th
// is taken: pairs grow with the square.
constexpr std::size_t kMostPoints = 600;
std::optional<Slope> slope_of(std::vector<Point> points);

}  // namespace gridlock::accept
