// Counts, lists and ratios as text.
#include "harness/claims/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/formats/text.h"

namespace gridlock::claims {

std::string counted(double number, std::string_view thing) {
  return fmt::format("{:.0f} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string listed(const std::vector<double>& by_rank) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t rank = 0; rank < std::min(by_rank.size(), kMost); ++rank) {
    text += fmt::format("{}{:.0f}", rank == 0 ? "" : ", ", by_rank[rank]);
  }
  return by_rank.size() > kMost ? text + ", …" : text;
}

std::string sample(std::size_t runs) {
  return fmt::format("n = {} {}", runs, runs == 1 ? "run" : "runs");
}

std::string times(const report::Spread& ratio) {
  if (ratio.count == 1) return fmt::format("{:.2f}x ({})", ratio.median, sample(1));
  return fmt::format("{:.2f}x (quartiles {:.2f}-{:.2f}, {})", ratio.median, ratio.lower,
                     ratio.upper, sample(ratio.count));
}

std::string ranks(const std::vector<int>& ranks) { return ranks_text(ranks); }

}  // namespace gridlock::claims
