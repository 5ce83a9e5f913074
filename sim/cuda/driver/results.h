// Converts the runtime's errors into the driver's results. The numbers are equal.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace sim {

inline CUresult driver(cudaError_t error) { return static_cast<CUresult>(error); }

// The driver's interface passes addresses as integers.
template <class Value = void>
Value* pointer(CUdeviceptr address) {
  return reinterpret_cast<Value*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace sim
