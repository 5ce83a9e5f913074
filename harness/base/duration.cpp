// Parses a number and its unit, and writes durations as text.
#include "harness/base/duration.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "harness/base/error.h"

namespace gridlock {

Duration parse_duration(const std::string& text) {
  static const std::map<std::string, double> kUnits{
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
  constexpr double kYear = 365.0 * 24 * 3600e9;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const auto unit = kUnits.find(end);
  const double nanoseconds = unit == kUnits.end() ? 0 : number * unit->second;
  if (end == text.c_str() || !std::isfinite(number) || nanoseconds < 1 || nanoseconds > kYear) {
    throw UsageError(fmt::format(
        "\"{}\" is not a duration; write a positive number with its unit, e.g. 500ms, 2s or 1min",
        text));
  }
  return Duration(static_cast<std::int64_t>(nanoseconds));
}

std::string duration_text(Duration duration) {
  constexpr int kDigits = 9;  // a year to the second
  const auto nanoseconds = static_cast<double>(duration.count());
  const bool short_one = duration < std::chrono::seconds(1);
  return fmt::format("{:.{}g} {}", nanoseconds / (short_one ? 1e6 : 1e9), kDigits,
                     short_one ? "ms" : "s");
}

}  // namespace gridlock
