// Ways round in the graph of who waits for whom, among some of the processes (ascending).
#pragma once

#include <vector>

#include "harness/detect/blame/waits_for.h"

namespace gridlock::detect {

// Those of `among` that would wait for each other if there were no other processes.
std::vector<Index> still_in_cycles(const WaitsFor& waits, const std::vector<Index>& among);

// Walks from the first process to the first of `processes` that it waits for, and so on, until one
// repeats.
//   REQUIRES  each waits for one of them
//   Returns  processes and points (Blame::cycle), by turns.
std::vector<Index> walk(const WaitsFor& waits, const std::vector<Index>& processes);

// Those without whom nobody of `processes` would wait in a circle; all, if there are none. All,
// too, if one sleeps in its own code, where any of several may wake it.
std::vector<Index> on_every_cycle(const WaitsFor& waits, const std::vector<Index>& processes);

}  // namespace gridlock::detect
