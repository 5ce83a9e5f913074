// Texts of programs in HTML pages.
#pragma once

#include <string>
#include <string_view>

namespace gridlock::report {

// `text` as text of an element or as an attribute in quotes. A program's names may hold anything:
// control characters become "?", and marks that turn the direction of writing are shown as their
// code point, so that a name cannot pass for another or write over its neighbours.
std::string escape_html(std::string_view text);

}  // namespace gridlock::report
