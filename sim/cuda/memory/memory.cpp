// Allocation. cudaMalloc, cudaFree and the calls for pinned memory wait for the device, as the
// programming guide says under "implicit synchronization". The stream-ordered calls do not. (On an
// H100, allocations did not wait, and cudaHostUnregister did, of which no document says so.)
#include <cstdint>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/devices/settings.h"
#include "sim/cuda/graphs/capture.h"
#include "sim/cuda/memory/allocations.h"
#include "sim/cuda/memory/mappings.h"
#include "sim/cuda/memory/pool.h"
#include "sim/cuda/memory/registered.h"

using sim::Allocation;
using sim::api;
using sim::Space;

namespace {

constexpr std::size_t kPitch = 512;

cudaError_t allocate_synchronously(void** result, std::size_t bytes, Space space,
                                   unsigned int flags) {
  if (result == nullptr) return cudaErrorInvalidValue;
  *result = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (sim::any_capture()) {
    if (const cudaError_t error = sim::refuse_unsafe(); error != cudaSuccess) return error;
  }
  const int device = sim::current_device();
  sim::synchronize(device);
  *result = sim::allocate(bytes, device, space, flags);
  return *result == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t allocate_pinned(void** result, std::size_t bytes, unsigned int flags) {
  constexpr unsigned int kKnown =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~kKnown) != 0) return cudaErrorInvalidValue;
  return allocate_synchronously(result, bytes, Space::kHost, flags);
}

cudaError_t free_synchronously(void* base, Space space) {
  if (base == nullptr) return cudaSuccess;
  Allocation allocation;
  if (!sim::find_allocation(base, allocation) || allocation.base != base ||
      allocation.space != space || sim::freed_in_stream(base)) {
    return cudaErrorInvalidValue;
  }
  if (sim::any_capture()) {
    if (const cudaError_t error = sim::refuse_unsafe(); error != cudaSuccess) return error;
  }
  sim::synchronize(allocation.device);
  sim::pool_gave_back(base);
  return sim::release(base, space) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return api([&] { return allocate_synchronously(devPtr, size, Space::kDevice, 0); });
}

cudaError_t cudaFree(void* devPtr) {
  return api([&] { return free_synchronously(devPtr, Space::kDevice); });
}

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  return api([&] {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    const std::size_t row = (width + kPitch - 1) / kPitch * kPitch;
    if (row < width || (row != 0 && height > SIZE_MAX / row)) return cudaErrorMemoryAllocation;
    *pitch = row;
    return allocate_synchronously(devPtr, row * height, Space::kDevice, 0);
  });
}

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  return api([&] {
    sim::Stream* stream = sim::find_stream(hStream);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (devPtr == nullptr) return cudaErrorInvalidValue;
    *devPtr = nullptr;
    if (const cudaError_t error = refuse_captured(*stream); error != cudaSuccess) return error;
    if (size == 0) return cudaSuccess;
    *devPtr = sim::pool_allocate(size, *stream);
    if (*devPtr == nullptr) return cudaErrorMemoryAllocation;
    sim::pool_took(*devPtr, size, stream->device(), nullptr);
    return cudaSuccess;
  });
}

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  return api([&] {
    sim::Stream* stream = sim::find_stream(hStream);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (devPtr == nullptr) return cudaSuccess;
    if (const cudaError_t error = refuse_captured(*stream); error != cudaSuccess) return error;
    sim::pool_gave_back(devPtr);  // before the free: then another thread may get the memory at once
    return sim::pool_free(devPtr, *stream);
  });
}

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return api([&] { return allocate_pinned(ptr, size, cudaHostAllocDefault); });
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return api([&] { return allocate_pinned(pHost, size, flags); });
}

cudaError_t cudaFreeHost(void* ptr) {
  return api([&] { return free_synchronously(ptr, Space::kHost); });
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  return api([&] {
    constexpr unsigned int kKnown = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                    cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    if ((flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    if (sim::in_device_memory(ptr) || sim::in_pinned_memory(ptr)) {
      return cudaErrorHostMemoryAlreadyRegistered;
    }
    return sim::register_host(ptr, size, {.flags = flags, .device = sim::current_device()});
  });
}

cudaError_t cudaHostUnregister(void* ptr) {
  return api([&] { return sim::unregister_host(ptr); });
}

cudaError_t cudaHostGetFlags(unsigned int* pFlags, void* pHost) {
  return api([&] {
    Allocation allocation;
    if (pFlags == nullptr) return cudaErrorInvalidValue;
    if (const auto registered = sim::find_registered(pHost)) {
      *pFlags = registered->flags;
      return cudaSuccess;
    }
    if (!sim::find_allocation(pHost, allocation) || allocation.space != Space::kHost) {
      return cudaErrorInvalidValue;
    }
    *pFlags = allocation.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags) {
  return api([&] {
    if (pDevice == nullptr || flags != 0) return cudaErrorInvalidValue;
    if (!sim::in_pinned_memory(pHost) && !sim::find_registered(pHost)) {
      return cudaErrorInvalidValue;
    }
    *pDevice = pHost;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api([&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = sim::settings().memory;
    *free = *total - sim::memory_used(sim::current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  return api([&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    void* pointer = const_cast<void*>(ptr);
    *attributes = {};
    Allocation allocation;
    sim::Mapping mapping;
    if (sim::find_allocation(ptr, allocation)) {
      const bool on_device = allocation.space == Space::kDevice;
      attributes->type = on_device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
      attributes->device = allocation.device;
      attributes->devicePointer = pointer;
      attributes->hostPointer = on_device ? nullptr : pointer;
    } else if (sim::find_mapping(ptr, mapping)) {
      const bool on_device = mapping.device >= 0;
      attributes->type = on_device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
      attributes->device = on_device ? mapping.device : sim::current_device();
      attributes->devicePointer = pointer;
      attributes->hostPointer = on_device ? nullptr : pointer;
    } else if (const auto registered = sim::find_registered(ptr)) {
      attributes->type = cudaMemoryTypeHost;
      attributes->device = registered->device;
      attributes->devicePointer = pointer;
      attributes->hostPointer = pointer;
    } else {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = pointer;
    }
    return cudaSuccess;
  });
}
