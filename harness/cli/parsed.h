// Option values read by our own parsers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "harness/base/error.h"

namespace gridlock::cli {

// Turns our sentences into CLI11's, so that a bad value is a wrong usage like any other.
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

// A count of repetitions.
//   Errors   UsageError when `text` is no number from `least` to kMaxRepetitions
int parse_count(const std::string& text, int least);

inline CLI::callback_t count_into(int& number, int least) {
  return parsed_by(
      [&number, least](const std::string& text) { number = parse_count(text, least); });
}

}  // namespace gridlock::cli
