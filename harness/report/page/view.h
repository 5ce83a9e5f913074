// The style and the script of every page. view.cmake generates the source from the files in view/.
#pragma once

#include <string_view>

namespace gridlock::report {

extern const std::string_view kStyle;
extern const std::string_view kScript;

}  // namespace gridlock::report
