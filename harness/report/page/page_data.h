// The data that a page's script gets.
#pragma once

#include <nlohmann/json.hpp>

#include "harness/report/page/page.h"

namespace gridlock::report {

nlohmann::ordered_json page_data(const Page& page, bool is_book);

}  // namespace gridlock::report
