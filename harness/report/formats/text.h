// Small texts that several reports share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gridlock::report {

// Three digits, or all digits before the point if there are more: "0.34", "29.2", "1006".
std::string three_digits(double value);

// "1.24 ms"; "-" if there is no value.
std::string milliseconds(std::optional<double> value);

// Width on a terminal: UTF-8 continuation bytes take none.
std::size_t width(std::string_view text);

// `text` padded with spaces to `columns`: after it, or before it.
std::string padded(std::string_view text, std::size_t columns);
std::string padded_left(std::string_view text, std::size_t columns);

// The beginning of `text` that fits into `columns`.
std::string cut(std::string_view text, std::size_t columns);

// `text` broken between words, with a newline at the end. Lines after the first begin with `indent`
// spaces. The caller has already indented the first line. A word that is too long gets its own
// line.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent = 0);

// The width of reports on a terminal, and a width at which prose reads well.
constexpr std::size_t kReportColumns = 100;

}  // namespace gridlock::report
