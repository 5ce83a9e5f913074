// Calls that are not launched: what their threads are in, and no obstacle on a stream. And launched
// ones of several threads, of which nobody knows which came first.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Whether an operation that is only announced will be launched whatever the hosts do, or is what
// its thread waits for. What a thread may yet take back, or never comes to send off, is not called.
bool will_be_launched(const record::Snapshot& snapshot, const record::Operation& record);
// Its unit, behind the units of all of the process's streams. All that one thread has announced on
// one stream shares one, because it is launched at once; of what NCCL launches, each
// communicator's.
Index announced_unit(WaitGraph& graph, Index process, const record::Operation& record);

// Such a unit is reached behind what was launched before its call.
void need_announced(WaitGraph& graph);
// Has a thread that copies need the order which it has announced itself.
void wait_for_own_order(WaitGraph& graph, Index thread);

// Positions are given out when calls have returned. Of two that were under way at the same time the
// later one may be first on the stream: it waits for those only that were launched before its call.
void unorder_overlapping(WaitGraph& graph, Index stream);

}  // namespace gridlock::detect
