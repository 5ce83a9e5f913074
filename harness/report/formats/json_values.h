// How our values are written in JSON and read back. What does not apply is null.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/base/text.h"
#include "harness/report/figures/statistics.h"
#include "harness/report/results.h"

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

// A field that is absent or null leaves `into` as it is.
//   Errors   nlohmann::json::exception if it is of another type
template <typename Value>
void read_field(const nlohmann::json& from, const char* name, Value& into) {
  const auto found = from.find(name);
  if (found != from.end() && !found->is_null()) into = found->get<Value>();
}

// Anybody may have written the file, and terminals show its text, so only printable characters are
// kept.
inline void read_field(const nlohmann::json& from, const char* name, std::string& into) {
  const auto found = from.find(name);
  if (found != from.end() && !found->is_null()) into = printable(found->get<std::string>());
}

template <typename Value>
void read_field(const nlohmann::json& from, const char* name, std::optional<Value>& into) {
  const auto found = from.find(name);
  if (found != from.end() && !found->is_null()) into = found->get<Value>();
}

// Null if there is none.
OrderedJson spread_to_json(const std::optional<Spread>& spread);
std::optional<Spread> spread_from_json(const nlohmann::json& json);

OrderedJson context_to_json(const Context& context);
Context context_from_json(const nlohmann::json& json);

}  // namespace gridlock::report
