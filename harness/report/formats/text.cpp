// Times, and widths on a terminal.
#include "harness/report/formats/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace gridlock::report {

std::string three_digits(double value) {
  // A value that rounds up to one more digit gets one decimal less.
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string milliseconds(std::optional<double> value) {
  if (!value) return "-";
  return three_digits(*value) + " ms";
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t used = width(text);
  return std::string(text) + std::string(used < columns ? columns - used : 0, ' ');
}

std::string padded_left(std::string_view text, std::size_t columns) {
  const std::size_t used = width(text);
  return std::string(used < columns ? columns - used : 0, ' ') + std::string(text);
}

std::string cut(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  std::size_t used = 0;
  // Continuation bytes have no width, so they stay with their character.
  for (; end < text.size() && used + width(text.substr(end, 1)) <= columns; ++end) {
    used += width(text.substr(end, 1));
  }
  return std::string(text.substr(0, end));
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string all;
  std::size_t used = 0;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const std::size_t wide = width(word);
    if (used > 0 && indent + used + 1 + wide > columns) {
      all += "\n" + std::string(indent, ' ');
      used = 0;
    }
    all += (used > 0 ? " " : "") + word;
    used += (used > 0 ? 1 : 0) + wide;
  }
  return all + "\n";
}

}  // namespace gridlock::report
