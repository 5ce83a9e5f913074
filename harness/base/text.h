// Small pieces of text that all output shares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gridlock {

// Sorted ranks as "0-6, 9".
std::string range_text(const std::vector<int>& ranks);

// "rank 3", "ranks 0-6, 9", or "no rank" if there is none. `ranks` is sorted.
std::string ranks_text(const std::vector<int>& ranks);

// "a, b and c".
std::string join_text(const std::vector<std::string>& parts, std::string_view last = " and ");

// `text` without control characters: XML cannot hold them, even escaped, and they would move a
// terminal's cursor. Newlines and tabs stay.
std::string printable(std::string text);

// The same on one line: newlines and tabs become spaces.
std::string on_one_line(std::string text);

// ` "loss"` for a name that a program chose, on one line; "" for an empty name.
std::string quoted(std::string_view name);

}  // namespace gridlock
