// Order statistics.
#include "harness/report/statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace gridlock::report {

std::optional<Spread> spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return Spread{
      .median = median, .least = values.front(), .greatest = values.back(), .count = values.size()};
}

std::string to_text(const std::optional<Spread>& spread) {
  if (!spread) return "-";
  if (spread->count == 1) return fmt::format("{:.2f}", spread->median);
  return fmt::format("{:.2f} ({:.2f}-{:.2f}, n={})", spread->median, spread->least,
                     spread->greatest, spread->count);
}

}  // namespace gridlock::report
