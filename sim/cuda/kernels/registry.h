// The kernels and variables that compiled programs register when they start, by the address of
// their host stand-in.
#pragma once

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/function.h"

namespace sim::kernels {

// Null if nothing is registered there.
Function* registered(const void* symbol);

// The memory of a registered variable. From then on it counts as device memory.
//   Errors   cudaErrorInvalidSymbol
cudaError_t find_variable(const void* symbol, void** address, std::size_t* bytes);

// Makes a program's variable known to copies and kernels.
void expose(const ptx::Program::Variable& variable);

}  // namespace sim::kernels
