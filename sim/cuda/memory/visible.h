// Memory of this process besides the arena, and what kernels may touch of all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/ptx/state/memory.h"

namespace sim {

// What device code may read and write: all allocations, registered host memory and foreign memory.
// Anything else that a kernel touches is an illegal address.
ptx::Memory& visible();

// Memory outside the arena that counts as a device's (or, with `on_device` false, as pinned): what
// was mapped from another process, virtual memory, variables of modules.
struct Foreign {
  void* base = nullptr;
  std::size_t bytes = 0;
  int device = 0;
  bool on_device = true;
  bool exportable = false;  // by cudaIpcGetMemHandle
};

// Makes it visible to kernels too.
void add_foreign(const Foreign& memory);
void remove_foreign(void* base);
// The foreign memory that `pointer` lies in.
std::optional<Foreign> find_foreign(const void* pointer);

}  // namespace sim
