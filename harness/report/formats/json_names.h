// Enumerators from the names that the reports print.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "harness/report/formats/json.h"

namespace gridlock::report {

// The enumerator, up to `last`, that to_string calls `name`.
//   Errors   BadResults if there is none
template <typename Enum>
Enum from_name(std::string_view name, Enum last) {
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    if (to_string(static_cast<Enum>(value)) == name) return static_cast<Enum>(value);
  }
  throw BadResults(fmt::format("\"{}\" is none of the names used here", name));
}

inline detect::Outcome outcome_from(std::string_view name) {
  return from_name(name, detect::Outcome::corrupts);
}
inline detect::Cause cause_from(std::string_view name) {
  return from_name(name, detect::Cause::self);
}
inline record::Call call_from(std::string_view name) { return from_name(name, record::kLastCall); }

}  // namespace gridlock::report
