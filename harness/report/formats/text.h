// Small texts that several reports share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gridlock::report {

// "1.24 ms"; "-" when there is none.
std::string milliseconds(std::optional<double> value);

// Width on a terminal: UTF-8 continuation bytes take none.
std::size_t width(std::string_view text);

// `text` filled up with spaces to `columns`.
std::string padded(std::string_view text, std::size_t columns);

}  // namespace gridlock::report
