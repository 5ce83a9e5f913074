// Devices and contexts. Each device has one context, the primary one; its handle is the device.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <vector>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/devices/settings.h"
#include "sim/cuda/driver/results.h"

using sim::driver;

namespace {

CUcontext context_of(int device) { return reinterpret_cast<CUcontext>(&sim::device(device)); }

// -1 if the handle is invalid.
int device_of(CUcontext context) {
  for (int number = 0; number < sim::settings().devices; ++number) {
    if (context_of(number) == context) return number;
  }
  return -1;
}

std::vector<int>& pushed() {
  thread_local std::vector<int> devices;
  return devices;
}

}  // namespace

CUresult cuInit(unsigned int Flags) {
  return Flags == 0 ? driver(sim::admission()) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDriverGetVersion(int* driverVersion) {
  return driver(cudaDriverGetVersion(driverVersion));
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!sim::device_exists(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) { return driver(cudaGetDeviceCount(count)); }

CUresult cuDeviceGetName(char* name, int len, CUdevice dev) {
  if (name == nullptr || len <= 0) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, dev);
  if (error == cudaSuccess) {
    std::strncpy(name, properties.name, static_cast<std::size_t>(len));
    name[len - 1] = '\0';
  }
  return driver(error);
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice dev) {
  if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, dev);
  if (error == cudaSuccess) *uuid = properties.uuid;
  return driver(error);
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice dev) {
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!sim::device_exists(dev)) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = sim::settings().memory;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev) {
  return driver(cudaDeviceGetAttribute(pi, static_cast<cudaDeviceAttr>(attrib), dev));
}

CUresult cuDeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
  return driver(cudaDeviceGetPCIBusId(pciBusId, len, dev));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
  if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!sim::device_exists(dev)) return CUDA_ERROR_INVALID_DEVICE;
  *pctx = context_of(dev);
  return CUDA_SUCCESS;
}

// The context lives as long as the process.
CUresult cuDevicePrimaryCtxRelease(CUdevice dev) {
  return sim::device_exists(dev) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuCtxGetCurrent(CUcontext* pctx) {
  if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pctx = context_of(sim::current_device());
  return CUDA_SUCCESS;
}

// A thread always has a context here, so null keeps the current one.
CUresult cuCtxSetCurrent(CUcontext ctx) {
  if (ctx == nullptr) return CUDA_SUCCESS;
  const int device = device_of(ctx);
  if (device < 0) return CUDA_ERROR_INVALID_CONTEXT;
  sim::set_current_device(device);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext ctx) {
  const int before = sim::current_device();
  if (ctx == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  const CUresult result = cuCtxSetCurrent(ctx);
  if (result == CUDA_SUCCESS) pushed().push_back(before);
  return result;
}

CUresult cuCtxPopCurrent(CUcontext* pctx) {
  if (pushed().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (pctx != nullptr) *pctx = context_of(sim::current_device());
  sim::set_current_device(pushed().back());
  pushed().pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *device = sim::current_device();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return driver(cudaDeviceSynchronize()); }
