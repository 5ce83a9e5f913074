// Blame in a cycle: the few that most ranks wait for, those whose order differs, or all.
#pragma once

#include <vector>

#include "harness/detect/blame/blame.h"
#include "harness/detect/blame/waits_for.h"

namespace gridlock::detect {

// Takes a strongly connected component of `waits`: its processes, and the points `at` between them.
// `ledger` may be null.
Blame blame_of_cycle(const WaitGraph& graph, const Points& points, const Ledger* ledger,
                     Hosts hosts, const WaitsFor& waits, const std::vector<Index>& processes,
                     const std::vector<Index>& at);

}  // namespace gridlock::detect
