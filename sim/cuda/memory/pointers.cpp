// The driver's calls that tell what a pointer points to.
#include <cuda.h>

#include <cstdint>
#include <cstring>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/memory/allocations.h"
#include "sim/cuda/memory/mappings.h"
#include "sim/cuda/memory/registered.h"

namespace {

struct Range {
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  int device = 0;
  CUmemorytype type = CU_MEMORYTYPE_DEVICE;
  bool allocated = false;    // by cudaMalloc and the like, so that other processes can open it
  bool mapped_file = false;  // by the virtual memory calls
};

bool find(CUdeviceptr address, Range& range) {
  const void* pointer = reinterpret_cast<const void*>(address);  // NOLINT(*int-to-ptr)
  sim::Allocation allocation;
  sim::Mapping mapping;
  if (sim::find_allocation(pointer, allocation)) {
    const bool on_device = allocation.space == sim::Space::kDevice;
    range = {.base = reinterpret_cast<CUdeviceptr>(allocation.base),
             .bytes = allocation.bytes,
             .device = allocation.device,
             .type = on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
             .allocated = on_device};
    return true;
  }
  if (sim::find_mapping(pointer, mapping)) {
    const bool on_device = mapping.device >= 0;
    range = {.base = reinterpret_cast<CUdeviceptr>(mapping.base),
             .bytes = mapping.bytes,
             .device = on_device ? mapping.device : sim::current_device(),
             .type = on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
             .mapped_file = mapping.memory != 0};
    return true;
  }
  const auto registered = sim::find_registered(pointer);
  if (!registered) return false;
  range = {.base = address, .bytes = 1, .device = registered->device, .type = CU_MEMORYTYPE_HOST};
  return true;
}

template <class Value>
CUresult answer(void* data, Value value) {
  *static_cast<Value*>(data) = value;
  return CUDA_SUCCESS;
}

std::size_t bytes_of(CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return sizeof(bool);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return sizeof(int);
    default:
      return sizeof(std::uint64_t);
  }
}

}  // namespace

CUresult cuMemGetAddressRange(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  Range range;
  if (!find(dptr, range)) return CUDA_ERROR_NOT_FOUND;
  if (pbase != nullptr) *pbase = range.base;
  if (psize != nullptr) *psize = range.bytes;
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  Range range;
  if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool known = find(ptr, range);
  if (attribute == CU_POINTER_ATTRIBUTE_MAPPED) return answer<bool>(data, known);
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return answer(data, reinterpret_cast<CUcontext>(&sim::device(range.device)));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer<unsigned int>(data, range.type);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return answer(data, ptr);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (range.type != CU_MEMORYTYPE_HOST) return CUDA_ERROR_INVALID_VALUE;
      return answer(data, ptr);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer<bool>(data, false);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return answer<unsigned long long>(data, range.base);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer<int>(data, range.device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return answer<bool>(data, range.allocated);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return answer(data, range.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return answer(data, range.bytes);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return answer<unsigned long long>(data, range.mapped_file
                                                  ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
                                                  : CU_MEM_HANDLE_TYPE_NONE);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// CUDA documents a null value for an attribute that the pointer does not have, and no error.
CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes,
                                void** data, CUdeviceptr ptr) {
  if (attributes == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned int i = 0; i < numAttributes; ++i) {
    if (data[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (cuPointerGetAttribute(data[i], attributes[i], ptr) != CUDA_SUCCESS) {
      std::memset(data[i], 0, bytes_of(attributes[i]));
    }
  }
  return CUDA_SUCCESS;
}

// Only SYNC_MEMOPS can be set. The simulation behaves that way anyway.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  Range range;
  if (value == nullptr || !find(ptr, range)) return CUDA_ERROR_INVALID_VALUE;
  return attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
