// Kernels and variables that compiled programs register when they start: by the address of the
// host's stand-in for them.
#pragma once

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/function.h"

namespace sim::kernels {

// Null where nothing is registered there.
Function* registered(const void* symbol);

// The memory of a registered variable, which counts as device memory from then on.
//   Errors   cudaErrorInvalidSymbol
cudaError_t find_variable(const void* symbol, void** address, std::size_t* bytes);

// Puts a variable of a program where copies and kernels find it.
void expose(const ptx::Program::Variable& variable);

}  // namespace sim::kernels
