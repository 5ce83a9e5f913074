// Reads one environment variable in the way that the simulation reads it.
#include "harness/run/start/sim_buffer.h"

#include <cstdlib>

namespace gridlock::run {

std::uint64_t sim_buffer_bytes() {
  constexpr std::uint64_t kDefault = 4U << 20U;
  const char* text = std::getenv("GRIDLOCK_SIM_BUFFER");
  if (text == nullptr || *text == '\0') return kDefault;
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text, &end, 10);
  switch (*end) {
    case 'K':
      return number << 10U;
    case 'M':
      return number << 20U;
    case 'G':
      return number << 30U;
    default:
      return end == text ? kDefault : number;
  }
}

}  // namespace gridlock::run
