// Streams and their units in flight: finds the unit of a position or a launch.
#pragma once

#include <cstdint>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Adds the streams of `process` and room for their units. All operations of one position are one
// unit.
void add_streams(WaitGraph& graph, Index process);

// A unit is reached when its stream has passed the one before. It is passed when it is reached and
// has what it needs. If hosts are frozen, so is unrecorded work on devices.
void need_units(WaitGraph& graph, Hosts hosts);

// Whether the stream may not have come yet to the first of what it shows in flight: work that is
// not recorded may be in front of that. Where the recorder marks no starts, this holds for NCCL's
// operations alone: in front of a wait for an event most streams compute, and no such job would be
// proven dead at once.
bool may_be_behind_work(const WaitGraph& graph, Index stream);

// The last unit in flight on `stream` up to `position`; kNoIndex: everything up to there is past.
Index unit_up_to(const WaitGraph& graph, Index stream, std::uint64_t position);
// The last unit in flight on `stream` that was among the first `launches` of its process; kNoIndex:
// none.
Index unit_launched_by(const WaitGraph& graph, Index stream, std::uint64_t launches);
// An operation of the unit; null if the record has lost it.
const record::Operation* operation_of(const WaitGraph& graph, Index process, Index unit);

}  // namespace gridlock::detect
