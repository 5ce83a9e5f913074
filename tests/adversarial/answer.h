// Holds a verdict against what a program declares.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gridlock::adversarial {

// `run`: an entry of `gridlock watch --json`. `expect`: what `PROGRAM --expect` says.

// "deadlock (cycle) of 0, 1, assuming …": one line.
std::string text_of(const nlohmann::json& run);
// Why the verdict is not what the program declares; "": it is.
std::string fault_of(const nlohmann::json& run, const nlohmann::json& expect);
// Which words are missing from what was printed, or should not be there; "": none.
std::string words_missing(const std::string& output, const nlohmann::json& run,
                          const nlohmann::json& expect);

}  // namespace gridlock::adversarial
