// results.json, schema gridlock.results/1. Tools and later reports read it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/report/results.h"

namespace gridlock::report {

// Pretty-printed, ends with a newline.
std::string to_json(const Results& results);

struct BadResults : std::runtime_error {
  using std::runtime_error::runtime_error;
};

//   Errors   BadResults saying what is wrong with the text
Results from_json(std::string_view text);

}  // namespace gridlock::report
