// Who this process is among the ranks: torchrun's variables.
#include "scenarios/runtime/environment.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

namespace gridlock {
namespace {

constexpr const char* kCure =
    "Start the ranks with `gridlock run` or torchrun, or set RANK, WORLD_SIZE, LOCAL_RANK, "
    "LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT.";

std::string text(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') {
    throw EnvironmentError(fmt::format("{} is not set. {}", name, kCure));
  }
  return value;
}

int number(const char* name, int low, int high, const char* meaning) {
  const std::string value = text(name);
  int parsed = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  if (error == std::errc::result_out_of_range) {
    throw EnvironmentError(
        fmt::format("{} is {}, which no number here can be. It is {}.", name, value, meaning));
  }
  if (error != std::errc{} || end != value.data() + value.size()) {
    throw EnvironmentError(
        fmt::format("{} is \"{}\", which is not a whole number. It is {}.", name, value, meaning));
  }
  if (parsed < low || parsed > high) {
    throw EnvironmentError(fmt::format("{} is {}, which is not between {} and {}. It is {}.", name,
                                       parsed, low, high, meaning));
  }
  return parsed;
}

}  // namespace

Environment read_environment() {
  constexpr int kMostRanks = 1 << 20;
  Environment environment;
  environment.world_size = number("WORLD_SIZE", 1, kMostRanks, "the number of ranks");
  environment.rank = number("RANK", 0, environment.world_size - 1, "this rank, below WORLD_SIZE");
  environment.local_world_size =
      number("LOCAL_WORLD_SIZE", 1, environment.world_size, "the number of ranks on this machine");
  environment.local_rank = number("LOCAL_RANK", 0, environment.local_world_size - 1,
                                  "this rank among those of its machine");
  environment.master_addr = text("MASTER_ADDR");
  environment.master_port = number("MASTER_PORT", 1, 65535, "the port that rank 0 listens on");
  return environment;
}

}  // namespace gridlock
