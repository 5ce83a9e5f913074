// Memory and streams by the driver's names.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "sim/cuda/driver/results.h"
#include "sim/cuda/memory/allocations.h"
#include "sim/cuda/memory/visible.h"

using sim::driver;
using sim::pointer;

namespace {

struct Extent {
  void* base;
  std::size_t bytes;
};

bool find_extent(const void* address, Extent& extent) {
  sim::Allocation allocation;
  if (sim::find_allocation(address, allocation)) {
    extent = {allocation.base, allocation.bytes};
    return true;
  }
  const auto foreign = sim::find_foreign(address);
  if (foreign) extent = {foreign->base, foreign->bytes};
  return foreign.has_value();
}

}  // namespace

CUresult cuMemAlloc(CUdeviceptr* dptr, size_t bytesize) {
  if (dptr == nullptr || bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytesize);
  *dptr = reinterpret_cast<CUdeviceptr>(memory);
  return driver(error);
}

CUresult cuMemFree(CUdeviceptr dptr) { return driver(cudaFree(pointer(dptr))); }

CUresult cuMemGetInfo(size_t* free, size_t* total) { return driver(cudaMemGetInfo(free, total)); }

CUresult cuMemGetAddressRange(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  Extent extent{};
  if (!find_extent(pointer(dptr), extent)) return CUDA_ERROR_NOT_FOUND;
  if (pbase != nullptr) *pbase = reinterpret_cast<CUdeviceptr>(extent.base);
  if (psize != nullptr) *psize = extent.bytes;
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaPointerAttributes known;
  if (const cudaError_t error = cudaPointerGetAttributes(&known, pointer(ptr));
      error != cudaSuccess) {
    return driver(error);
  }
  if (known.type == cudaMemoryTypeUnregistered) return CUDA_ERROR_INVALID_VALUE;
  const bool on_device = known.type == cudaMemoryTypeDevice;
  Extent extent{};
  const bool has_extent = find_extent(pointer(ptr), extent);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return cuDevicePrimaryCtxRetain(static_cast<CUcontext*>(data), known.device);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned int*>(data) = on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<void**>(data) = known.devicePointer;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *static_cast<void**>(data) = known.hostPointer;
      return on_device ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:  // as long as it lives
      *static_cast<unsigned long long*>(data) = reinterpret_cast<std::uintptr_t>(extent.base);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<int*>(data) = 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(data) = known.device;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: {
      const auto foreign = sim::find_foreign(pointer(ptr));
      *static_cast<int*>(data) = on_device && (!foreign || foreign->exportable) ? 1 : 0;
      return CUDA_SUCCESS;
    }
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<void**>(data) = extent.base;
      return has_extent ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<std::size_t*>(data) = extent.bytes;
      return has_extent ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *static_cast<int*>(data) = 1;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      *static_cast<unsigned long long*>(data) = CU_MEM_HANDLE_TYPE_NONE;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

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
