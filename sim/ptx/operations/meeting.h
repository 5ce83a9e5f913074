// Where lanes wait for each other: votes, shuffles and bar.warp.sync in a warp, barriers in a
// block.
#pragma once

#include "sim/ptx/state/warp.h"

namespace sim::ptx {

// Releases the lanes whose last awaited lane has come, or has ended.
void settle_meetings(Warp& w);
void settle_barriers(Block& block);

}  // namespace sim::ptx
