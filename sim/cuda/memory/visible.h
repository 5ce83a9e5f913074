// The memory of this process that kernels may access.
#pragma once

#include "sim/ptx/state/memory.h"

namespace sim {

// All allocations, registered host memory and mappings. Any other access by a kernel is an illegal
// address.
ptx::Memory& visible();

}  // namespace sim
