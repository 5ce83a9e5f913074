// Connects our own parsers with CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "harness/base/error.h"

namespace gridlock::cli {

// Turns our errors into CLI11's, so that a bad value is reported like any wrong usage.
template <typename Parse>
CLI::callback_t parsed_by(Parse parse) {
  return [parse](const CLI::results_t& values) {
    try {
      parse(values.front());
    } catch (const UsageError& error) {
      throw CLI::ValidationError(error.what());
    }
    return true;
  };
}

// Parses a number of repetitions.
//   Errors   UsageError if `text` is not a number from `least` to kMaxRepetitions
int parse_count(const std::string& text, int least);

inline CLI::callback_t count_into(int& number, int least) {
  return parsed_by(
      [&number, least](const std::string& text) { number = parse_count(text, least); });
}

}  // namespace gridlock::cli
