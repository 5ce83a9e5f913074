// Compares a verdict with what the program declares.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gridlock::adversarial {

// `run`: an entry of `gridlock watch --json`. `expect`: the output of `PROGRAM --expect`.

// "deadlock (cycle) of 0, 1, assuming …": one line.
std::string text_of(const nlohmann::json& run);
// Why the verdict is not the declared one; "" if it is.
std::string fault_of(const nlohmann::json& run, const nlohmann::json& expect);
// Which words are missing from the output, or should not be there; "" if none.
std::string words_missing(const std::string& output, const nlohmann::json& run,
                          const nlohmann::json& expect);

}  // namespace gridlock::adversarial
