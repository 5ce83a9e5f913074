// Results for continuous integration.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

// JUnit XML. A verdict as declared passes, whether it is a hang or not. A wrong verdict is a
// `failure`. A fault of the harness or the machine is an `error`. A run that is impossible here is
// `skipped`, with the reason. A watched program declares nothing and passes if it completes.
std::string to_junit(const Results& results);

}  // namespace gridlock::report
