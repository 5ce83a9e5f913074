// Calls that exist only to say that they are not simulated: a silent success would be worse.
#include <cuda_runtime_api.h>

#include "sim/cuda/devices/api.h"

using sim::not_supported;

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return not_supported("cudaLaunchKernel (kernels are launched with simLaunch)");
}
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
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  return not_supported("cudaStreamBeginCapture");
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) {
  return not_supported("cudaStreamEndCapture");
}
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned int) { return not_supported("cudaGraphCreate"); }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return not_supported("cudaGraphDestroy"); }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
  return not_supported("cudaGraphInstantiate");
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  return not_supported("cudaGraphLaunch");
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return not_supported("cudaGraphExecDestroy"); }
