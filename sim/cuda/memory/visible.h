// What kernels may touch of the memory of this process.
#pragma once

#include "sim/ptx/state/memory.h"

namespace sim {

// What device code may read and write: all allocations, registered host memory and mappings.
// Anything else that a kernel touches is an illegal address.
ptx::Memory& visible();

}  // namespace sim
