// Calls that exist only to say that they are not simulated: a silent success would be worse.
#include <cuda_runtime_api.h>

#include "sim/cuda/devices/api.h"

using sim::not_supported;

cudaError_t cudaMallocManaged(void**, size_t, unsigned int) {
  return not_supported("cudaMallocManaged");
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int) {
  return not_supported("cudaDeviceGetDefaultMemPool");
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return not_supported("cudaMemPoolSetAttribute");
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return not_supported("cudaMemPoolTrimTo"); }
