// The runs that did not end as declared. They come last, where a reader looks first.
#pragma once

#include <string>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::report {

// "deadlock or stall": the outcomes that the run's variant accepts.
std::string declared_text(const Run& run);

// Each run that did not end as declared, with its verdict, and each run that ended in error. A long
// list is cut and says so; "" if there is no such run.
std::string differing_text(const std::vector<Run>& runs);

}  // namespace gridlock::report
