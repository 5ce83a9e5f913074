// The part of Python's pickle format that PyTorch's flight-recorder analyzers need.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gridlock::report {

// The value as a pickle of protocol 2: dicts, lists, strings, numbers, booleans and None. It holds
// no class instances, so reading it runs no code.
std::string to_pickle(const nlohmann::ordered_json& value);

}  // namespace gridlock::report
