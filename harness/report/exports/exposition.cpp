// A label's value may hold any UTF-8 text. Three characters must be escaped.
#include "harness/report/exports/exposition.h"

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

// JSON escapes quotes and backslashes as this format does, and replaces invalid UTF-8.
// on_one_line() has already removed control characters.
std::string value_of(const std::string& text) {
  return OrderedJson(on_one_line(text)).dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace

void Exposition::begin(const std::string& metric, const char* type, const std::string& help) {
  metric_ = metric;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", metric, help, metric, type);
}

void Exposition::sample(const Labels& labels, double value, const char* suffix) {
  std::string inside;
  for (const auto& [name, of] : labels) {
    inside += fmt::format("{}{}={}", inside.empty() ? "" : ",", name, value_of(of));
  }
  text_ += fmt::format("{}{}{} {}\n", metric_, suffix,
                       inside.empty() ? "" : fmt::format("{{{}}}", inside), value);
}

}  // namespace gridlock::report
