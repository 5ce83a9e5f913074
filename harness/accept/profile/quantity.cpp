// Parses a number and a unit from a table.
#include "harness/accept/profile/quantity.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/names.h"

namespace gridlock::accept {
namespace {

struct Unit {
  const char* name;
  double factor;
};

constexpr std::array kSizes{
    Unit{"B", 1},        Unit{"KiB", 0x1p10}, Unit{"MiB", 0x1p20},
    Unit{"GiB", 0x1p30}, Unit{"TiB", 0x1p40}, Unit{"kB", 1e3},
    Unit{"MB", 1e6},     Unit{"GB", 1e9},     Unit{"TB", 1e12},
};
constexpr std::array kBandwidths{
    Unit{"B/s", 1},        Unit{"KiB/s", 0x1p10}, Unit{"MiB/s", 0x1p20},
    Unit{"GiB/s", 0x1p30}, Unit{"TiB/s", 0x1p40}, Unit{"kB/s", 1e3},
    Unit{"MB/s", 1e6},     Unit{"GB/s", 1e9},     Unit{"TB/s", 1e12},
};
constexpr std::array kShares{Unit{"%", 0.01}};

template <std::size_t kCount>
std::string unit_sentence(const std::string& unit, const std::array<Unit, kCount>& units) {
  std::vector<std::string> names;
  names.reserve(kCount);
  for (const Unit& one : units) names.emplace_back(one.name);
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (unit.empty()) return fmt::format("it has no unit; write one of {}", all);
  const std::string near = nearest(unit, names);
  return near.empty() ? fmt::format("there is no unit \"{}\"; there are {}", unit, all)
                      : fmt::format("there is no unit \"{}\"; did you mean {}?", unit, near);
}

template <std::size_t kCount>
double parse(const std::string& text, const std::array<Unit, kCount>& units, const char* what) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const auto refuse = [&](const std::string& why) {
    return UsageError(fmt::format("\"{}\" is not a {}: {}", text, what, why));
  };
  if (end == text.c_str() || !std::isfinite(number))
    throw refuse("it does not begin with a number");
  if (std::signbit(number)) throw refuse("it is negative");
  while (*end == ' ') ++end;
  const std::string_view unit = end;
  for (const Unit& one : units) {
    if (unit == one.name) return number * one.factor;
  }
  throw refuse(unit_sentence(std::string(unit), units));
}

}  // namespace

std::uint64_t parse_size(const std::string& text) {
  const double bytes = parse(text, kSizes, "size");
  constexpr double kMost = 0x1p36;  // what a rank of the benchmark may be asked for
  if (bytes < 1 || bytes > kMost || bytes != std::floor(bytes)) {
    throw UsageError(
        fmt::format("\"{}\" is not a size: give a whole number of bytes up to 64GiB", text));
  }
  return static_cast<std::uint64_t>(bytes);
}

double parse_bandwidth(const std::string& text) { return parse(text, kBandwidths, "bandwidth"); }

double parse_share(const std::string& text) {
  const double share = parse(text, kShares, "share");
  if (share > 1) {
    throw UsageError(fmt::format("\"{}\" is not a share: it is more than 100%", text));
  }
  return share;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, kUnits.at(unit));
}

std::string bandwidth_text(double bytes_per_second) {
  return fmt::format("{:.2f} GB/s", bytes_per_second / 1e9);
}

}  // namespace gridlock::accept
