// cudaDevice…: the devices and their properties.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/broken.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/devices/settings.h"
#include "sim/cuda/graphs/capture.h"
#include "sim/cuda/kernels/limits.h"
#include "sim/cuda/memory/allocations.h"

using sim::api;
namespace kernels = sim::kernels;

namespace {

constexpr int kVersion = CUDART_VERSION;
constexpr int kComputeMajor = 9;
constexpr int kComputeMinor = 0;
constexpr int kWarp = 32;
// CU_DEVICE_ATTRIBUTE_… for which the runtime has no names: virtual memory management, and sharing
// it by file descriptors.
constexpr int kVirtualMemory = 102;
constexpr int kFileDescriptors = 103;
constexpr int kLastAttribute = 255;  // of any version of CUDA
constexpr int kThreadsPerBlock = 1024;
constexpr int kDevicesPerDomain = 128;

constexpr std::size_t kLimits = 7;
std::atomic<std::size_t> limits[kLimits] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

thread_local unsigned int device_flags = cudaDeviceScheduleAuto;

int bus(int device) { return device % kDevicesPerDomain + 1; }
int domain(int device) { return device / kDevicesPerDomain; }

template <class Body>
cudaError_t with_device(int device, Body body) {
  return api([&] { return sim::device_exists(device) ? body() : cudaErrorInvalidDevice; });
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return sim::api_always([&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = sim::settings().devices;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return sim::api_always([&] {
    if (!sim::device_exists(device)) return cudaErrorInvalidDevice;
    sim::set_current_device(device);
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  return with_device(device, [] { return cudaSuccess; });
}

cudaError_t cudaGetDevice(int* device) {
  return sim::api_always([&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = sim::current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return api([&] {
    if ((flags & ~static_cast<unsigned int>(cudaDeviceMask)) != 0) return cudaErrorInvalidValue;
    device_flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return api([&] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = device_flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return with_device(device, [&] {
    if (prop == nullptr) return cudaErrorInvalidValue;
    *prop = {};
    std::snprintf(prop->name, sizeof prop->name, "Gridlock simulated GPU");
    std::memcpy(prop->uuid.bytes, "gridlock-sim", 12);
    std::memcpy(prop->uuid.bytes + 12, &device, sizeof device);
    prop->totalGlobalMem = sim::settings().memory;
    prop->sharedMemPerBlock = 48u << 10;
    prop->sharedMemPerBlockOptin = kernels::kMostShared;
    prop->sharedMemPerMultiprocessor = kernels::kSharedOfAll;
    prop->reservedSharedMemPerBlock = kernels::kSharedOfAll - kernels::kMostShared;
    prop->regsPerBlock = 1 << 16;
    prop->regsPerMultiprocessor = 1 << 16;
    prop->maxBlocksPerMultiProcessor = 32;
    prop->cooperativeLaunch = 1;
    prop->warpSize = kWarp;
    prop->maxThreadsPerBlock = kThreadsPerBlock;
    prop->maxThreadsDim[0] = prop->maxThreadsDim[1] = kThreadsPerBlock;
    prop->maxThreadsDim[2] = 64;
    prop->maxGridSize[0] = 2147483647;
    prop->maxGridSize[1] = prop->maxGridSize[2] = 65535;
    prop->major = kComputeMajor;
    prop->minor = kComputeMinor;
    prop->multiProcessorCount = sim::settings().multiprocessors;
    prop->maxThreadsPerMultiProcessor = 2048;
    prop->canMapHostMemory = 1;
    prop->concurrentKernels = 1;
    prop->asyncEngineCount = 2;
    prop->unifiedAddressing = 1;
    prop->streamPrioritiesSupported = 1;
    prop->canUseHostPointerForRegisteredMem = 1;
    prop->hostRegisterSupported = 1;
    prop->memoryPoolsSupported = 1;
    prop->pciBusID = bus(device);
    prop->pciDomainID = domain(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  return with_device(device, [&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    switch (static_cast<int>(attr)) {
      case cudaDevAttrMaxThreadsPerBlock:
        *value = kThreadsPerBlock;
        break;
      case cudaDevAttrWarpSize:
        *value = kWarp;
        break;
      case cudaDevAttrMultiProcessorCount:
        *value = sim::settings().multiprocessors;
        break;
      case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = 2048;
        break;
      case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = 48 << 10;
        break;
      case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = kernels::kMostShared;
        break;
      case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = kernels::kSharedOfAll;
        break;
      case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = kernels::kSharedOfAll - kernels::kMostShared;
        break;
      case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = 32;
        break;
      case cudaDevAttrHostNumaId:
        *value = -1;  // no node is nearer than another
        break;
      case cudaDevAttrMaxRegistersPerBlock:
        *value = 1 << 16;
        break;
      case cudaDevAttrAsyncEngineCount:
        *value = 2;
        break;
      case cudaDevAttrComputeCapabilityMajor:
        *value = kComputeMajor;
        break;
      case cudaDevAttrComputeCapabilityMinor:
        *value = kComputeMinor;
        break;
      case cudaDevAttrPciBusId:
        *value = bus(device);
        break;
      case cudaDevAttrPciDomainId:
        *value = domain(device);
        break;
      case cudaDevAttrCanMapHostMemory:
      case cudaDevAttrConcurrentKernels:
      case cudaDevAttrCooperativeLaunch:
      case cudaDevAttrUnifiedAddressing:
      case cudaDevAttrStreamPrioritiesSupported:
      case cudaDevAttrCanUseHostPointerForRegisteredMem:
      case cudaDevAttrHostRegisterSupported:
      case cudaDevAttrMemoryPoolsSupported:
      case cudaDevAttrReserved92:   // stream memory operations, the first version
      case cudaDevAttrReserved93:   // 64 bits wide
      case cudaDevAttrReserved94:   // wait for NOR
      case cudaDevAttrReserved122:  // 64 bits wide, the second version
      case cudaDevAttrReserved123:
      case kVirtualMemory:
      case kFileDescriptors:
        *value = 1;
        break;
      default:  // features that no simulated device has, and unknown attributes
        if (attr < cudaDevAttrMaxThreadsPerBlock || attr > kLastAttribute) {
          return cudaErrorInvalidValue;
        }
        *value = 0;
        break;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  return with_device(device, [&] {
    if (pciBusId == nullptr || len <= 0) return cudaErrorInvalidValue;
    const int needed = std::snprintf(pciBusId, static_cast<std::size_t>(len), "%04X:%02X:00.0",
                                     domain(device), bus(device));
    return needed < len ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  return api([&] {
    unsigned int at_domain = 0;
    unsigned int at_bus = 0;
    if (device == nullptr || pciBusId == nullptr) return cudaErrorInvalidValue;
    if (std::sscanf(pciBusId, "%x:%x:", &at_domain, &at_bus) != 2 || at_bus == 0 ||
        at_bus > kDevicesPerDomain || at_domain > 0xffff) {
      return cudaErrorInvalidDevice;
    }
    const int number =
        static_cast<int>(at_domain) * kDevicesPerDomain + static_cast<int>(at_bus) - 1;
    if (!sim::device_exists(number)) return cudaErrorInvalidDevice;
    *device = number;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  return with_device(device, [&] {
    if (!sim::device_exists(peerDevice)) return cudaErrorInvalidDevice;
    if (canAccessPeer == nullptr) return cudaErrorInvalidValue;
    *canAccessPeer = device != peerDevice ? 1 : 0;
    return cudaSuccess;
  });
}

// All memory is in one address space, so there is nothing to enable.
cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  return with_device(peerDevice, [&] {
    if (flags != 0) return cudaErrorInvalidValue;
    return peerDevice == sim::current_device() ? cudaErrorInvalidDevice : cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  return with_device(peerDevice, [] { return cudaSuccess; });
}

// Limits are stored only so that the program can read them back. Kernels' stacks grow as needed,
// and nothing else is limited.
cudaError_t cudaDeviceGetLimit(size_t* pValue, cudaLimit limit) {
  return api([&] {
    if (pValue == nullptr) return cudaErrorInvalidValue;
    const auto number = static_cast<std::size_t>(limit);
    if (number >= kLimits) return cudaErrorUnsupportedLimit;
    *pValue = limits[number].load();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api([&] {
    const auto number = static_cast<std::size_t>(limit);
    if (number >= kLimits) return cudaErrorUnsupportedLimit;
    limits[number].store(value);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api([] {
    if (sim::any_capture()) {
      cudaError_t error = sim::refuse_device_wait(sim::current_device());
      if (error == cudaSuccess) error = sim::refuse_unsafe();
      if (error != cudaSuccess) return error;
    }
    sim::synchronize(sim::current_device());
    return cudaSuccess;
  });
}

// Waits for the device, then destroys its streams and frees its memory. Fails on a lost device.
cudaError_t cudaDeviceReset() {
  return sim::api_always([] {
    const int number = sim::current_device();
    if (sim::lost(number)) return sim::broken(number);
    sim::synchronize(number);
    sim::Device& device = sim::device(number);
    std::vector<sim::Stream*> created;
    {
      const std::lock_guard lock(device.mutex);
      for (sim::Stream* stream : device.streams) {
        if (stream->kind() == sim::Stream::Kind::kCreated) created.push_back(stream);
      }
    }
    for (sim::Stream* stream : created) stream->close();
    sim::release_device(number);
    sim::mend_device(number);
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* driverVersion) {
  if (driverVersion == nullptr) return cudaErrorInvalidValue;
  *driverVersion = kVersion;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  return cudaDriverGetVersion(runtimeVersion);
}
