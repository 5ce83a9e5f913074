// Which ranks are to blame for what can never happen, by the rules of docs/detection.md.
#pragma once

#include <vector>

#include "harness/detect/calls/ledger.h"
#include "harness/detect/graph/points.h"
#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

struct Blame {
  Cause cause = Cause::none;
  std::vector<Index> culprits = {};  // processes, ascending
  std::vector<Index> points = {};    // where the blamed paths end
  // process, point, process, point …: each waits at the next. kNoIndex for a point: asleep.
  std::vector<Index> cycle = {};
  std::vector<Index> by_loop = {};  // who waits according to its event loop
};

// `ledger` may be null.
Blame blame(const WaitGraph& graph, const Points& points, const Ledger* ledger, Hosts hosts);

}  // namespace gridlock::detect
