// Slots at which the calls can never complete together.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// No member arrives at such a slot. A member that needs only the root can still end, if the root's
// call fits its own. `ledger` (may be null) knows the calls that the snapshots no longer show.
void need_misfits(WaitGraph& graph, const Ledger* ledger, Index slot);

}  // namespace gridlock::detect
