// Reads the environment. An invalid value is reported on stderr and replaced by the default.
#include "sim/cuda/devices/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace sim {
namespace {

constexpr int kMinDevices = 8;
constexpr int kMaxDevices = 4096;
constexpr std::size_t kMultiprocessors = 132;
constexpr std::size_t kMostMultiprocessors = 1024;
constexpr std::size_t kDefaultMemory = std::size_t{1} << 30;
constexpr std::size_t kMaxMemory = std::size_t{1} << 40;

std::optional<std::size_t> parse_size(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  int shift = 0;
  if (suffix == "K" || suffix == "k") {
    shift = 10;
  } else if (suffix == "M" || suffix == "m") {
    shift = 20;
  } else if (suffix == "G" || suffix == "g") {
    shift = 30;
  } else if (!suffix.empty()) {
    return std::nullopt;
  }
  if (value > kMaxMemory >> shift) return std::nullopt;
  return value << shift;
}

std::size_t read(const char* name, std::size_t fallback, std::size_t most) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return fallback;
  const std::optional<std::size_t> value = parse_size(text);
  if (value && *value >= 1 && *value <= most) return *value;
  std::fprintf(
      stderr,
      "gridlock-sim: %s=%s is not a number from 1 to %zu (K, M and G allowed); using %zu.\n", name,
      text, most, fallback);
  return fallback;
}

// The simulated NCCL reads the same variable and reports an invalid value.
int room() {
  const char* text = std::getenv("GRIDLOCK_SIM_ROOM");
  return text == nullptr ? 0 : std::clamp(std::atoi(text), 0, 1 << 20);
}

Settings read_environment() {
  int local_ranks = 0;
  if (const char* text = std::getenv("LOCAL_WORLD_SIZE")) local_ranks = std::atoi(text);
  const int fallback = std::clamp(local_ranks, kMinDevices, kMaxDevices);
  return {.devices = static_cast<int>(
              read("GRIDLOCK_SIM_DEVICES", static_cast<std::size_t>(fallback), kMaxDevices)),
          .multiprocessors = static_cast<int>(
              read("GRIDLOCK_SIM_MULTIPROCESSORS", kMultiprocessors, kMostMultiprocessors)),
          .room = room(),
          .memory = read("GRIDLOCK_SIM_MEMORY", kDefaultMemory, kMaxMemory)};
}

}  // namespace

const Settings& settings() {
  static const Settings value = read_environment();
  return value;
}

}  // namespace sim
