// Figures of a session for Prometheus.
#pragma once

#include <string>

#include "harness/report/exports/exposition.h"
#include "harness/report/results.h"

namespace gridlock::report {

// Verdict counts, true and false positives and negatives, times to detect, and what was run. The
// number of series does not grow with the number of variants.
std::string to_prometheus(const Results& results);

// The machine, the versions, and when the session began; part of every report of a session.
void add_context(Exposition& exposition, const Context& context);

}  // namespace gridlock::report
