// Slots at which calls met that never complete together.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Nobody arrives at such a slot. Who needs its root only still ends, where the root's call fits its
// own. `ledger` (may be null) knows the calls that the snapshots no longer show.
void need_misfits(WaitGraph& graph, const Ledger* ledger, Index slot);

}  // namespace gridlock::detect
