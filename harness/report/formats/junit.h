// Results for continuous integration.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

// JUnit XML. A verdict as declared is a pass, hang or not; a wrong one a `failure`; a fault of the
// harness or the machine an `error`; what cannot run here is `skipped`, with the reason. A watched
// program declares nothing: it passes if it completes.
std::string to_junit(const Results& results);

}  // namespace gridlock::report
