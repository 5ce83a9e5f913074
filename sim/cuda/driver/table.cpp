// One table for both the runtime's and the driver's queries.
#include "sim/cuda/driver/table.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "sim/cuda/devices/api.h"

namespace sim {
namespace {

struct EntryPoint {
  std::string_view name;
  void* function;
};

template <class Function>
void* erased(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* driver_function(std::string_view name) {
  if (name.ends_with("_v2")) name.remove_suffix(3);
  static const EntryPoint kEntries[] = {
      {"cuInit", erased(&cuInit)},
      {"cuDriverGetVersion", erased(&cuDriverGetVersion)},
      {"cuGetErrorString", erased(&cuGetErrorString)},
      {"cuGetErrorName", erased(&cuGetErrorName)},
      {"cuDeviceGet", erased(&cuDeviceGet)},
      {"cuDeviceGetCount", erased(&cuDeviceGetCount)},
      {"cuDeviceGetName", erased(&cuDeviceGetName)},
      {"cuDeviceGetUuid", erased(&cuDeviceGetUuid)},
      {"cuDeviceTotalMem", erased(&cuDeviceTotalMem)},
      {"cuDeviceGetAttribute", erased(&cuDeviceGetAttribute)},
      {"cuDeviceGetPCIBusId", erased(&cuDeviceGetPCIBusId)},
      {"cuDevicePrimaryCtxRetain", erased(&cuDevicePrimaryCtxRetain)},
      {"cuDevicePrimaryCtxRelease", erased(&cuDevicePrimaryCtxRelease)},
      {"cuCtxGetCurrent", erased(&cuCtxGetCurrent)},
      {"cuCtxSetCurrent", erased(&cuCtxSetCurrent)},
      {"cuCtxPushCurrent", erased(&cuCtxPushCurrent)},
      {"cuCtxPopCurrent", erased(&cuCtxPopCurrent)},
      {"cuCtxGetDevice", erased(&cuCtxGetDevice)},
      {"cuCtxSynchronize", erased(&cuCtxSynchronize)},
      {"cuMemAlloc", erased(&cuMemAlloc)},
      {"cuMemFree", erased(&cuMemFree)},
      {"cuMemGetInfo", erased(&cuMemGetInfo)},
      {"cuMemGetAllocationGranularity", erased(&cuMemGetAllocationGranularity)},
      {"cuMemCreate", erased(&cuMemCreate)},
      {"cuMemRelease", erased(&cuMemRelease)},
      {"cuMemAddressReserve", erased(&cuMemAddressReserve)},
      {"cuMemAddressFree", erased(&cuMemAddressFree)},
      {"cuMemMap", erased(&cuMemMap)},
      {"cuMemUnmap", erased(&cuMemUnmap)},
      {"cuMemSetAccess", erased(&cuMemSetAccess)},
      {"cuMemGetAccess", erased(&cuMemGetAccess)},
      {"cuMemExportToShareableHandle", erased(&cuMemExportToShareableHandle)},
      {"cuMemImportFromShareableHandle", erased(&cuMemImportFromShareableHandle)},
      {"cuMemGetAllocationPropertiesFromHandle", erased(&cuMemGetAllocationPropertiesFromHandle)},
      {"cuMemRetainAllocationHandle", erased(&cuMemRetainAllocationHandle)},
      {"cuPointerGetAttributes", erased(&cuPointerGetAttributes)},
      {"cuPointerSetAttribute", erased(&cuPointerSetAttribute)},
      {"cuMemGetAddressRange", erased(&cuMemGetAddressRange)},
      {"cuPointerGetAttribute", erased(&cuPointerGetAttribute)},
      {"cuMemcpyHtoD", erased(&cuMemcpyHtoD)},
      {"cuMemcpyDtoH", erased(&cuMemcpyDtoH)},
      {"cuStreamCreate", erased(&cuStreamCreate)},
      {"cuStreamDestroy", erased(&cuStreamDestroy)},
      {"cuStreamSynchronize", erased(&cuStreamSynchronize)},
      {"cuStreamQuery", erased(&cuStreamQuery)},
      {"cuModuleLoad", erased(&cuModuleLoad)},
      {"cuModuleLoadData", erased(&cuModuleLoadData)},
      {"cuModuleLoadDataEx", erased(&cuModuleLoadDataEx)},
      {"cuModuleUnload", erased(&cuModuleUnload)},
      {"cuModuleGetFunction", erased(&cuModuleGetFunction)},
      {"cuModuleGetGlobal", erased(&cuModuleGetGlobal)},
      {"cuFuncGetAttribute", erased(&cuFuncGetAttribute)},
      {"cuFuncSetAttribute", erased(&cuFuncSetAttribute)},
      {"cuFuncGetName", erased(&cuFuncGetName)},
      {"cuLaunchKernel", erased(&cuLaunchKernel)},
      {"cuLaunchKernelEx", erased(&cuLaunchKernelEx)},
      {"cuGetProcAddress", erased(&cuGetProcAddress_v2)},
      {"cuStreamWriteValue32", erased(&cuStreamWriteValue32)},
      {"cuStreamWaitValue32", erased(&cuStreamWaitValue32)},
      {"cuStreamWriteValue64", erased(&cuStreamWriteValue64)},
      {"cuStreamWaitValue64", erased(&cuStreamWaitValue64)},
      {"cuStreamBatchMemOp", erased(&cuStreamBatchMemOp)},
  };
  for (const EntryPoint& entry : kEntries) {
    if (entry.name == name) return entry.function;
  }
  return nullptr;
}

}  // namespace sim

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long,
                                    cudaDriverEntryPointQueryResult* driverStatus) {
  return sim::api([&] {
    if (symbol == nullptr || funcPtr == nullptr) return cudaErrorInvalidValue;
    *funcPtr = sim::driver_function(symbol);
    if (driverStatus != nullptr) {
      *driverStatus =
          *funcPtr == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
    }
    return *funcPtr == nullptr && driverStatus == nullptr ? cudaErrorSymbolNotFound : cudaSuccess;
  });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** funcPtr, unsigned int,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* driverStatus) {
  return cudaGetDriverEntryPoint(symbol, funcPtr, flags, driverStatus);
}

CUresult cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, nullptr);
}

CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int, cuuint64_t, int* symbolStatus) {
  if (symbol == nullptr || pfn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pfn = sim::driver_function(symbol);
  if (symbolStatus != nullptr) *symbolStatus = *pfn == nullptr ? 1 : 0;  // not found; found
  return *pfn == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
