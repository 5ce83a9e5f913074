// Order statistics.
#include "harness/report/figures/statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace gridlock::report {
namespace {

// Interpolates between the two nearest values. `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::optional<Spread> spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return Spread{.median = quantile(values, 0.5),
                .least = values.front(),
                .greatest = values.back(),
                .lower = quantile(values, 0.25),
                .upper = quantile(values, 0.75),
                .percentile_99 = quantile(values, 0.99),
                .count = values.size()};
}

std::string to_text(const std::optional<Spread>& spread) {
  if (!spread) return "-";
  if (spread->count == 1) return fmt::format("{:.2f}", spread->median);
  return fmt::format("{:.2f} ({:.2f}-{:.2f}, n={})", spread->median, spread->least,
                     spread->greatest, spread->count);
}

}  // namespace gridlock::report
