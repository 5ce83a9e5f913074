// Reads one environment variable in the way that the simulation reads it.
#include "harness/run/start/sim_buffer.h"

#include <charconv>
#include <cstdlib>

namespace gridlock::run {

std::optional<std::uint64_t> sim_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty()) return number;
  if (unit == "K") return number << 10U;
  if (unit == "M") return number << 20U;
  if (unit == "G") return number << 30U;
  return std::nullopt;
}

std::uint64_t sim_buffer_bytes() {
  constexpr std::uint64_t kDefault = 4U << 20U;
  const char* text = std::getenv("GRIDLOCK_SIM_BUFFER");
  return text == nullptr ? kDefault : sim_size(text).value_or(kDefault);
}

}  // namespace gridlock::run
