// The table at the end of a session.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

// One row for each variant and number of ranks, then the summary. A line is wider than
// kReportColumns only if a name or a reason is. Scores and wrongly accused ranks are shown only if
// something is not as declared; results.json has all of them. Lines end with a newline.
std::string table(const Results& results);

// "2 agents: a (2 ranks), b (2 ranks); times that cross them are right to within 34 us"; "" if
// there was only one.
std::string agents_text(const Context& context);

// "35 runs: 35 as declared, 0 skipped, …" and "true positives 18, …", a line each.
std::string summary_text(const Summary& summary);

}  // namespace gridlock::report
