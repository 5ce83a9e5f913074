// Describes where a run's failures and warps are, in words.
#pragma once

#include "sim/ptx/machine.h"

namespace sim::ptx {

Failure failure_of(const Warp& warp);
void append_positions(const Block& block, std::vector<Position>& positions);

}  // namespace sim::ptx
