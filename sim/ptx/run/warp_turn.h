// A warp's turn: which of its groups runs, for how long, and what follows if none can run.
#pragma once

#include "sim/ptx/state/warp.h"

namespace sim::ptx {

struct Turn {
  bool progressed = false;  // something was done that others, or the next turn, may see
  std::int64_t wake = 0;    // where all sleep: when the first one wakes, in nanoseconds; else 0
};

// Runs the warp's groups in turn, each for a while. A group that spins gives up its turn at once.
// With `idle`, nothing in the launch has moved lately, so lanes that wait at a join are released
// sooner.
Turn take_turn(Warp& warp, bool idle);

}  // namespace sim::ptx
