// What the observer check found, as text.
#pragma once

#include <string>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::report {

// A line for each run that ended differently without the recorder, and one with the totals; "" if
// nothing was checked.
std::string observer_text(const std::vector<Run>& runs);

}  // namespace gridlock::report
