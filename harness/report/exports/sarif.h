// SARIF 2.1.0: verdicts beside the code.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

// A result for each verdict that is not "completes". One that its scenario declares is
// informational; all others are failures. Each group of ranks that waits is a location, the
// culprit's first.
//   root   folder that the sources lie in: paths below it are written relative to it, which is what
//          code hosts want; "" leaves all paths as they are
std::string to_sarif(const Results& results, const std::string& root);

}  // namespace gridlock::report
