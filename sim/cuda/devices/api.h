// What every CUDA entry point does around its own work.
#pragma once

#include <cuda_runtime_api.h>

namespace sim {

// cudaSuccess if the calling thread may use CUDA now. cudaErrorNotPermitted if it runs a stream's
// host function. cudaErrorInitializationError if its process was forked from one that had used
// CUDA.
cudaError_t admission();

// From here on, children made by fork() are not admitted, because they have the memory but not the
// threads.
void refuse_after_fork();

void set_last_error(cudaError_t error);

// Says on stderr that `call` is not simulated.
cudaError_t not_supported(const char* call);

// The sticky error of the current device, if a kernel has failed on it.
cudaError_t sticky();

// Runs a call that also works on a broken device.
template <class Body>
cudaError_t api_always(Body body) {
  cudaError_t error = admission();
  if (error == cudaSuccess) error = body();
  if (error != cudaSuccess) set_last_error(error);
  return error;
}

// Checks the device again after the call, because it may break while the call waits for it.
template <class Body>
cudaError_t api(Body body) {
  return api_always([&] {
    cudaError_t error = sticky();
    if (error == cudaSuccess) error = body();
    const cudaError_t after = sticky();
    return after == cudaSuccess ? error : after;
  });
}

}  // namespace sim
