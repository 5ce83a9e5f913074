// Parses counts.
#include "harness/cli/parsed.h"

#include <fmt/format.h>

#include <charconv>

#include "harness/base/limits.h"

namespace gridlock::cli {

int parse_count(const std::string& text, int least) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < least || number > kMaxRepetitions) {
    throw UsageError(fmt::format("\"{}\" is not a number of repetitions; give one from {} to {}",
                                 text, least, kMaxRepetitions));
  }
  return number;
}

}  // namespace gridlock::cli
