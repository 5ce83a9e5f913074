// Small texts that several reports share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/detect/verdict/verdict.h"

namespace gridlock::report {

// "rank 3", "ranks 0-2, 5"; "no rank" when empty. `ranks` is sorted.
std::string ranks_text(const std::vector<int>& ranks);

// "1.24 ms"; "-" when there is none.
std::string milliseconds(std::optional<double> value);

// Where a group of ranks waits: `all_reduce #7 "gradients/bucket 0" on world at f (a.cpp:8)`.
std::string place_text(const detect::Wait& wait);

// Width on a terminal: UTF-8 continuation bytes take none.
std::size_t width(std::string_view text);

// `text` filled up with spaces to `columns`.
std::string padded(std::string_view text, std::size_t columns);

}  // namespace gridlock::report
