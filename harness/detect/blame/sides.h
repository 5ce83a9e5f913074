// Which calls met at a point, and who made them.
#pragma once

#include <vector>

#include "harness/detect/calls/ledger.h"
#include "harness/detect/graph/points.h"

namespace gridlock::detect {

struct Side {
  Shape shape;
  std::vector<Index> processes;  // ascending
};

// The sides of a slot or message, by shape only, largest first; empty for other points. `ledger`
// (may be null) knows the calls that the snapshots no longer show.
std::vector<Side> sides_at(const WaitGraph& graph, const Point& point, const Ledger* ledger);

}  // namespace gridlock::detect
