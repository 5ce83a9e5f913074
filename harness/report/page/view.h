// The style and the script of every page, from the files in view/; view.cmake makes the source.
#pragma once

#include <string_view>

namespace gridlock::report {

extern const std::string_view kStyle;
extern const std::string_view kScript;

}  // namespace gridlock::report
