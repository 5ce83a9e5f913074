// Trace events, which Perfetto and chrome://tracing show.
#pragma once

#include <string>

#include "harness/report/exports/kept.h"

namespace gridlock::report {

// JSON in the object form of the trace event format. A process for each rank, with a track for each
// host thread that waits and each stream; flows between the members of a collective; the verdict of
// each run as an instant. Of a run without boxes there is only the verdict. Times are in us since
// the first run began. docs/formats.md says what a bar means.
std::string to_trace(const Results& results, const BoxesOf& boxes, const CallerOf& caller);

}  // namespace gridlock::report
