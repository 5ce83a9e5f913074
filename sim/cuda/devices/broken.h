// A device on which a kernel has failed. From then on, every call on it returns the same error, and
// no kernel runs on it: CUDA's "sticky" error, which the end of the process or cudaDeviceReset
// ends.
#pragma once

#include <cuda_runtime_api.h>

#include <stop_token>

namespace sim {

// cudaSuccess where no kernel has failed.
cudaError_t broken(int device);

// The first error stays. Kernels that run on the device are stopped.
void break_device(int device, cudaError_t error);

// Asks for a stop when the device breaks.
std::stop_token stop_when_broken(int device);

// REQUIRES: no kernel runs on the device
void mend_device(int device);

}  // namespace sim
