// Small texts that several reports share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gridlock::report {

// Three digits where the value has no more before the point: "0.34", "29.2", "1006".
std::string three_digits(double value);

// "1.24 ms"; "-" when there is none.
std::string milliseconds(std::optional<double> value);

// Width on a terminal: UTF-8 continuation bytes take none.
std::size_t width(std::string_view text);

// `text` filled up with spaces to `columns`: behind it, or before it.
std::string padded(std::string_view text, std::size_t columns);
std::string padded_left(std::string_view text, std::size_t columns);

// The beginning of `text` that fits into `columns`.
std::string cut(std::string_view text, std::size_t columns);

// `text` broken between words, with a newline behind it. Lines after the first begin with `indent`
// spaces; the first is taken to have begun there already. A word that is too long gets a line of
// its own.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent = 0);

// What reports on a terminal keep to, and what a line of prose is read best in.
constexpr std::size_t kReportColumns = 100;

}  // namespace gridlock::report
