// Figures as text for answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/figures/statistics.h"

namespace gridlock::claims {

// "1 sample", "3 samples"
std::string counted(double number, std::string_view thing);

// "263, 289, 270, 259": by rank, in whole numbers. More than eight are cut short.
std::string listed(const std::vector<double>& by_rank);

// "n = 1 run", "n = 3 runs"
std::string sample(std::size_t runs);

// "1.22x (quartiles 1.18-1.30, n = 5 runs)"; "1.22x (n = 1 run)" for a single one.
std::string times(const report::Spread& ratio);

// "rank 3", "ranks 0, 1"
std::string ranks(const std::vector<int>& ranks);

}  // namespace gridlock::claims
