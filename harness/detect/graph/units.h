// Streams and their units in flight: which unit a position or a moment stands for.
#pragma once

#include <cstdint>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Adds the streams of `process` and room for their units: all operations of one position are one.
void add_streams(WaitGraph& graph, Index process);

// A unit is reached when its stream has passed the one before, and passed when it is reached.
void need_units(WaitGraph& graph);

// The last unit in flight on `stream` up to `position`; kNoIndex: all of that is past.
Index unit_up_to(const WaitGraph& graph, Index stream, std::uint64_t position);
// The last unit in flight on `stream` that was enqueued before `time_ns`; kNoIndex: none.
Index unit_before(const WaitGraph& graph, Index stream, std::int64_t time_ns);
// When the host enqueued the unit; 0 where the record has lost it.
std::int64_t enqueued_ns(const WaitGraph& graph, Index process, Index unit);

}  // namespace gridlock::detect
