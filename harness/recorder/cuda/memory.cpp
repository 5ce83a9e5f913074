// Memory calls that wait for the device, or may: allocation and free.
#include "harness/recorder/cuda/call.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

GRIDLOCK_INTERPOSE cudaError_t cudaMalloc(void** pointer, size_t size) {
  static constinit Cuda<decltype(cudaMalloc)> vendor("cudaMalloc");
  return wait_for_device(Call::device_malloc, __builtin_frame_address(0), vendor.get(), pointer,
                         size);
}

GRIDLOCK_INTERPOSE cudaError_t cudaFree(void* pointer) {
  static constinit Cuda<decltype(cudaFree)> vendor("cudaFree");
  // cudaFree(0) waits for nothing: it is the idiom that makes a context.
  if (pointer == nullptr && vendor.get() != nullptr) return vendor.get()(pointer);
  return wait_for_device(Call::device_free, __builtin_frame_address(0), vendor.get(), pointer);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMallocHost(void** pointer, size_t size) {
  static constinit Cuda<decltype(cudaMallocHost)> vendor("cudaMallocHost");
  return wait_for_device(Call::host_malloc, __builtin_frame_address(0), vendor.get(), pointer,
                         size);
}

GRIDLOCK_INTERPOSE cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned int flags) {
  static constinit Cuda<decltype(cudaHostAlloc)> vendor("cudaHostAlloc");
  return wait_for_device(Call::host_malloc, __builtin_frame_address(0), vendor.get(), pointer, size,
                         flags);
}

GRIDLOCK_INTERPOSE cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned int flags) {
  static constinit Cuda<decltype(cudaHostRegister)> vendor("cudaHostRegister");
  return wait_for_device(Call::host_malloc, __builtin_frame_address(0), vendor.get(), pointer, size,
                         flags);
}

// Pinned memory is given back as device memory is: when nothing can use it any more.
GRIDLOCK_INTERPOSE cudaError_t cudaFreeHost(void* pointer) {
  static constinit Cuda<decltype(cudaFreeHost)> vendor("cudaFreeHost");
  if (pointer == nullptr && vendor.get() != nullptr) return vendor.get()(pointer);
  return wait_for_device(Call::device_free, __builtin_frame_address(0), vendor.get(), pointer);
}

GRIDLOCK_INTERPOSE cudaError_t cudaHostUnregister(void* pointer) {
  static constinit Cuda<decltype(cudaHostUnregister)> vendor("cudaHostUnregister");
  return wait_for_device(Call::device_free, __builtin_frame_address(0), vendor.get(), pointer);
}
