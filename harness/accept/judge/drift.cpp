// Theil-Sen slope: the median of all pairs' slopes, and its interval by rank.
#include "harness/accept/judge/drift.h"

#include <algorithm>
#include <cmath>

#include "harness/report/figures/statistics.h"

namespace gridlock::accept {
namespace {

std::vector<Point> thinned(std::vector<Point> points) {
  const std::size_t step = (points.size() + kMostPoints - 1) / kMostPoints;
  if (step <= 1) return points;
  std::vector<Point> some;
  for (std::size_t i = 0; i < points.size(); i += step) some.push_back(points[i]);
  return some;
}

}  // namespace

std::optional<Slope> slope_of(std::vector<Point> points) {
  points = thinned(std::move(points));
  constexpr std::size_t kLeast = 4;
  if (points.size() < kLeast) return {};
  std::vector<double> slopes;
  slopes.reserve(points.size() * (points.size() - 1) / 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double time = points[j].at - points[i].at;
      if (time != 0) slopes.push_back((points[j].value - points[i].value) / time);
    }
  }
  if (slopes.empty()) return {};
  std::sort(slopes.begin(), slopes.end());
  const auto n = static_cast<double>(points.size());
  const auto pairs = static_cast<double>(slopes.size());
  constexpr double kTwoSided95 = 1.96;
  const double half = kTwoSided95 * std::sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2;
  const auto rank = [&](double at) {
    return slopes[static_cast<std::size_t>(std::clamp(at, 0.0, pairs - 1))];
  };
  return Slope{.median = report::spread(slopes)->median,
               .lower = rank(std::floor(pairs / 2 - half)),
               .upper = rank(std::ceil(pairs / 2 + half)),
               .points = points.size()};
}

}  // namespace gridlock::accept
