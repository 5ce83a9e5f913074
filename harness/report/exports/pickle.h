// Python's pickle format, as far as PyTorch's analyzers of flight records need it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gridlock::report {

// The value as a pickle of protocol 2: dicts, lists, strings, numbers, booleans and None. It makes
// no object of a class, so that reading it runs no code.
std::string to_pickle(const nlohmann::ordered_json& value);

}  // namespace gridlock::report
