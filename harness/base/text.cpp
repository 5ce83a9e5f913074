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

namespace {

// How many bytes at the beginning of `text` are a character that would move a terminal's cursor or
// change the writing direction: U+0000 to U+001F but for line ends and tabs, U+007F to U+009F,
// U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069. 0: none.
std::size_t unprintable(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return text[0] == '\n' || text[0] == '\t' ? 0 : 1;
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return 2;
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return 2;
  if (byte(0) != 0xe2) return 0;
  const bool turns = (byte(1) == 0x80 && (byte(2) == 0x8e || byte(2) == 0x8f ||
                                          (byte(2) >= 0xaa && byte(2) <= 0xae))) ||
                     (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);
  return turns ? 3 : 0;
}

}  // namespace

// Marks that change the writing direction go too, because with them one name could look like
// another.
std::string printable(std::string text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t bytes = unprintable(std::string_view(text).substr(i));
    clean += bytes > 0 ? '?' : text[i];
    i += std::max<std::size_t>(bytes, 1);
  }
  return clean;
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
