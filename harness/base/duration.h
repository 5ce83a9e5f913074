// Durations as people write them.
#pragma once

#include <string>

#include "harness/base/limits.h"

namespace gridlock {

// "500ms", "2s", "1.5s", "250us", "3min" or "3m".
//   Errors   UsageError when there is no unit, it is not positive, or it is beyond a year
Duration parse_duration(const std::string& text);

// "1 ms", "250 ms", "1.5 s", "90 s": in milliseconds below a second.
std::string duration_text(Duration duration);

}  // namespace gridlock
