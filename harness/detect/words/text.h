// Small texts of verdicts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/detect/calls/rules.h"

namespace gridlock::detect {

// "0–6, 9" of sorted ranks.
std::string range_text(const std::vector<int>& ranks);
// "rank 3", "ranks 0–6, 9".
std::string ranks_text(const std::vector<int>& ranks);
// "all_reduce #41", "comm_init".
std::string call_text(record::Call call, std::uint64_t slot);
// "all_reduce (4096 bytes of float32, sum)", "send (64 bytes)", "mpi_bcast (root 1)".
std::string shape_text(const Shape& shape);
// "a, b and c".
std::string join_text(const std::vector<std::string>& parts, std::string_view last = " and ");

}  // namespace gridlock::detect
