// Figures in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gridlock::claims {

// "1 sample", "3 samples"
std::string counted(double number, std::string_view thing);

// "263, 289, 270, 259": by rank, whole numbers; more than eight are cut short.
std::string listed(const std::vector<double>& by_rank);

}  // namespace gridlock::claims
