// U is the number of pairs whose second value is greater.
#include "harness/report/compare/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace gridlock::report {
namespace {

// With more values in a sample than this, the approximation is just as good.
constexpr std::size_t kMostExact = 20;

// Element u is the number of orders of m + n values that give U = u, by the recursion of Mann and
// Whitney. Doubles, because there are up to 1e11 orders.
std::vector<double> ways(std::size_t m, std::size_t n) {
  // at[j] is for i values of the first sample and j of the second.
  std::vector<std::vector<double>> at(n + 1, std::vector<double>(m * n + 1, 0));
  for (std::size_t j = 0; j <= n; ++j) at[j][0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    // If the greatest value is from the second sample, it adds i pairs to U; if it is from the
    // first, none.
    for (std::size_t j = 1; j <= n; ++j) {
      for (std::size_t u = i * j + 1; u-- > i;) at[j][u] += at[j - 1][u - i];
    }
  }
  return at[n];
}

double exact_p(double u, std::size_t m, std::size_t n) {
  const std::vector<double> counts = ways(m, n);
  const double least = std::min(u, static_cast<double>(m * n) - u);
  double tail = 0;
  double all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    all += counts[i];
    if (static_cast<double>(i) <= least) tail += counts[i];
  }
  return std::min(1.0, 2 * tail / all);
}

// Sum of t^3 - t over groups of t equal values.
double ties_in(const std::vector<double>& first, const std::vector<double>& second) {
  std::map<double, double> counts;
  for (const double value : first) ++counts[value];
  for (const double value : second) ++counts[value];
  double sum = 0;
  for (const auto& [value, count] : counts) sum += count * count * count - count;
  return sum;
}

double normal_p(double u, double m, double n, double ties) {
  const double all = m + n;
  const double variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(std::abs(u - m * n / 2) - 0.5, 0.0);
  return std::erfc(distance / std::sqrt(2 * variance));
}

}  // namespace

MannWhitney mann_whitney(const std::vector<double>& first, const std::vector<double>& second) {
  double u = 0;
  for (const double one : first) {
    for (const double other : second) u += other > one ? 1 : other == one ? 0.5 : 0;
  }
  const double ties = ties_in(first, second);
  const std::size_t m = first.size();
  const std::size_t n = second.size();
  const bool is_small = std::max(m, n) <= kMostExact && ties == 0;
  return {.p = is_small ? exact_p(u, m, n)
                        : normal_p(u, static_cast<double>(m), static_cast<double>(n), ties),
          .greater = u / static_cast<double>(m * n)};
}

}  // namespace gridlock::report
