// Writes ranks as ranges, lists, and names that a program chose.
#include "harness/base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace gridlock {

std::string range_text(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}", ranks[first]);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ", " : "-", ranks[last]);
    first = last + 1;
  }
  return text;
}

std::string ranks_text(const std::vector<int>& ranks) {
  if (ranks.empty()) return "no rank";
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", range_text(ranks));
}

std::string join_text(const std::vector<std::string>& parts, std::string_view last) {
  std::string text;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    if (index > 0) text += index + 1 == parts.size() ? last : std::string_view(", ");
    text += parts[index];
  }
  return text;
}

std::string printable(std::string text) {
  for (char& letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 && letter != '\n' && letter != '\t') letter = '?';
  }
  return text;
}

std::string on_one_line(std::string text) {
  text = printable(std::move(text));
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

std::string quoted(std::string_view name) {
  return name.empty() ? std::string() : fmt::format(" \"{}\"", on_one_line(std::string(name)));
}

}  // namespace gridlock
