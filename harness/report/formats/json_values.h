// How our values are written in JSON. What does not apply is null.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace gridlock::report {

using OrderedJson = nlohmann::ordered_json;

inline OrderedJson or_null(const std::string& text) {
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

template <typename Value>
OrderedJson or_null(const std::optional<Value>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

// The text of a JSON file. Strings from a program may hold any bytes; invalid UTF-8 is replaced.
inline std::string file_text(const OrderedJson& json) {
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace gridlock::report
