// Never destroyed, because kernels may still run while the process exits.
#include "sim/cuda/memory/visible.h"

namespace sim {

ptx::Memory& visible() {
  static ptx::Memory& value = *new ptx::Memory;
  return value;
}

}  // namespace sim
