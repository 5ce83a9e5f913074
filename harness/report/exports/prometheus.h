// Figures of a session for Prometheus.
#pragma once

#include <string>

#include "harness/report/exports/exposition.h"
#include "harness/report/results.h"

namespace gridlock::report {

// Verdict counts, true and false positives and negatives, times to detect, and what was run. Few
// series, whatever the number of variants.
std::string to_prometheus(const Results& results);

// Which machine and versions, and when the session began; for every report of a session.
void add_context(Exposition& exposition, const Context& context);

}  // namespace gridlock::report
