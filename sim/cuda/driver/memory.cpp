// Memory and streams by the driver's names.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "sim/cuda/driver/results.h"

using sim::driver;
using sim::pointer;

CUresult cuMemAlloc(CUdeviceptr* dptr, size_t bytesize) {
  if (dptr == nullptr || bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytesize);
  *dptr = reinterpret_cast<CUdeviceptr>(memory);
  return driver(error);
}

CUresult cuMemFree(CUdeviceptr dptr) { return driver(cudaFree(pointer(dptr))); }

CUresult cuMemGetInfo(size_t* free, size_t* total) { return driver(cudaMemGetInfo(free, total)); }

CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return driver(cudaMemcpy(pointer(dstDevice), srcHost, ByteCount, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return driver(cudaMemcpy(dstHost, pointer(srcDevice), ByteCount, cudaMemcpyDeviceToHost));
}

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) {
  return driver(cudaStreamCreateWithFlags(phStream, Flags));
}

CUresult cuStreamDestroy(CUstream hStream) { return driver(cudaStreamDestroy(hStream)); }

CUresult cuStreamSynchronize(CUstream hStream) { return driver(cudaStreamSynchronize(hStream)); }

CUresult cuStreamQuery(CUstream hStream) { return driver(cudaStreamQuery(hStream)); }
