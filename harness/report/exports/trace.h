// Trace events, which Perfetto and chrome://tracing show.
#pragma once

#include <string>

#include "harness/report/exports/kept.h"

namespace gridlock::report {

// JSON in the object form of the trace event format. It has a process for each rank, with a track
// for each host thread that waits and for each stream; flows between the members of a collective;
// and each run's verdict as an instant. A run without boxes has only its verdict. Times are in us
// since the first run began. docs/formats.md says what a bar means.
std::string to_trace(const Results& results, const BoxesOf& boxes, const CallerOf& caller);

}  // namespace gridlock::report
