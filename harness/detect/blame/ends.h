// Blame at the end of a path.
#pragma once

#include <span>

#include "harness/detect/blame/blame.h"

namespace gridlock::detect {

// Blame at a point that leads nowhere: its calls do not fit, a member has left, or a host function
// does not return. `ledger` may be null.
Blame blame_of_point(const WaitGraph& graph, const Points& points, const Ledger* ledger, Index at);

// Blame of a process that waits for no other and is missing at the points `missed_at`.
Blame blame_of_end(const WaitGraph& graph, const Points& points, Hosts hosts, Index process,
                   std::span<const Index> missed_at);

}  // namespace gridlock::detect
