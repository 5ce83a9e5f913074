// Counting and listing.
#include "harness/claims/figures.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace gridlock::claims
