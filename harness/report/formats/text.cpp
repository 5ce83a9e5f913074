// Times, and widths on a terminal.
#include "harness/base/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/formats/text.h"

namespace gridlock::report {

std::string milliseconds(std::optional<double> value) {
  if (!value) return "-";
  return fmt::format("{:.{}f} ms", *value, *value < 10 ? 2 : *value < 100 ? 1 : 0);
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t used = width(text);
  return std::string(text) + std::string(used < columns ? columns - used : 0, ' ');
}

}  // namespace gridlock::report
