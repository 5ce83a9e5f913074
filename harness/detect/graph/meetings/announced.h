// Calls that are not launched: their threads are in them, but they obstruct no stream. Also
// launched calls of several threads whose order is unknown.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Whether an announced operation will be launched whatever the hosts do, or is what its thread
// waits for. An operation that its thread may still drop, or may never finish calling, does not
// count as called.
bool will_be_launched(const record::Snapshot& snapshot, const record::Operation& record);
// The operation's unit, behind the units of all the process's streams. What one thread has
// announced on one stream shares a unit, because it is launched at once. What NCCL launches by
// itself has a unit for each communicator.
Index announced_unit(WaitGraph& graph, Index process, const record::Operation& record);

// Has such units wait for what was launched on their streams before their calls.
void need_announced(WaitGraph& graph);
// Has a thread in a copy need the ordering operation that it has announced for this copy.
void wait_for_own_order(WaitGraph& graph, Index thread);

// Positions are given out when calls return. If two calls overlapped, the one with the later
// position may be first on the stream. So an operation waits only for those that were launched
// before its call.
void unorder_overlapping(WaitGraph& graph, Index stream);

}  // namespace gridlock::detect
