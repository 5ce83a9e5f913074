// Computes the modified z-score.
#include "harness/accept/judge/outliers.h"

#include <algorithm>
#include <cmath>

#include "harness/report/figures/statistics.h"

namespace gridlock::accept {
namespace {

double median_of(std::vector<double> values) { return report::spread(std::move(values))->median; }

// One unit of the score, in the values' unit.
double unit_of(const std::vector<double>& values, double median) {
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - median));
  constexpr double kNormal = 0.6745;  // MAD of the normal distribution of deviation 1
  return std::max(median_of(deviations) / kNormal, kLeastDeviation * median);
}

}  // namespace

std::vector<Peer> slow_outliers(const std::vector<double>& values, double margin) {
  const double median = median_of(values);
  const double unit = unit_of(values, median);
  std::vector<Peer> slow;
  if (median <= 0) return slow;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Peer peer{
        .index = i, .score = (median - values[i]) / unit, .below = (median - values[i]) / median};
    if (peer.score > kOutlierScore && peer.below > margin) slow.push_back(peer);
  }
  return slow;
}

}  // namespace gridlock::accept
