// Escapes texts of programs for HTML pages.
#pragma once

#include <string>
#include <string_view>

namespace gridlock::report {

// `text` as the text of an element or as an attribute in quotes. A program's names may hold
// anything. Control characters become "?". Marks that change the writing direction are shown as
// their code points, so that no name can look like another or reorder the text around it.
std::string escape_html(std::string_view text);

}  // namespace gridlock::report
