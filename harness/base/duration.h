// Reads and writes durations as people do.
#pragma once

#include <string>

#include "harness/base/limits.h"

namespace gridlock {

// "500ms", "2s", "1.5s", "250us", "3min" or "3m".
//   Errors   UsageError if it has no unit, is not positive, or is longer than a year
Duration parse_duration(const std::string& text);

// "1 ms", "250 ms", "1.5 s", "90 s". Below a second, it is in milliseconds.
std::string duration_text(Duration duration);

}  // namespace gridlock
