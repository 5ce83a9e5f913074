// SARIF 2.1.0: verdicts beside the code.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

// A result for each verdict that is not "completes". A declared verdict is informational; any other
// is a failure. Each group of ranks that waits is a location; the culprits' groups come first.
//   root   folder of the sources: paths below it are written relative to it, as code hosts want;
//          "" leaves all paths as they are
std::string to_sarif(const Results& results, const std::string& root);

}  // namespace gridlock::report
