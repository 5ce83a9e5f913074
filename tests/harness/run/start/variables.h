// What tests ask of an environment.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace gridlock::run {

// Whether the variable ("NAME=value") is there, and only once.
inline bool holds(const std::vector<std::string>& variables, const std::string& variable) {
  return std::count(variables.begin(), variables.end(), variable) == 1;
}

}  // namespace gridlock::run
