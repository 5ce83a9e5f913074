// The table at the end of a session, for a terminal.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

// One row per variant and number of ranks, then the summary. Lines end with a newline.
std::string table(const Results& results);
// "2 agents: a (2 ranks), b (2 ranks); times that cross them are right to within 34 us"; "" where
// there was one.
std::string agents_text(const Context& context);

// "35 runs: 35 as declared, 0 skipped; true positives 18, …", with a newline.
std::string summary_text(const Summary& summary);

}  // namespace gridlock::report
