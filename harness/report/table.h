// The table at the end of a session, for a terminal.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

// One row per variant and number of ranks, then the summary. Lines end with a newline.
std::string table(const Results& results);

// "35 runs: 35 as declared, 0 skipped; true positives 18, …", with a newline.
std::string summary_text(const Summary& summary);

}  // namespace gridlock::report
