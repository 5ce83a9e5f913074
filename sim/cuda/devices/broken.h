// CUDA's "sticky" error: after a kernel has failed on a device, every call on it returns the same
// error and no kernel runs on it, until the process ends or calls cudaDeviceReset.
#pragma once

#include <cuda_runtime_api.h>

#include <stop_token>

namespace sim {

// cudaSuccess if no kernel has failed.
cudaError_t broken(int device);

// Stops the kernels on the device. If it is already broken, the first error stays.
void break_device(int device, cudaError_t error);

// The same for good: no reset brings the device back.
void lose_device(int device, cudaError_t error);
bool lost(int device);

// Asks for a stop when the device breaks.
std::stop_token stop_when_broken(int device);

// REQUIRES: no kernel runs on the device, and it is not lost
void mend_device(int device);

}  // namespace sim
