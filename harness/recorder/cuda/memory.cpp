// Memory calls that wait or may wait for the device: allocation, free and the end of a
// registration.
#include <string_view>

#include "harness/recorder/core/aside.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/cuda/call.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::Waits;

namespace {

GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaPointerAttributes*, const void*)> g_attributes(
    "cudaPointerGetAttributes");

// The device that memory is on, or was made for if it is pinned.
std::uint32_t device_of(const void* pointer) {
  const OwnErrors errors;  // it may not be CUDA's memory
  cudaPointerAttributes attributes{};
  auto* get = g_attributes.get();
  const bool known = get != nullptr && get(&attributes, pointer) == cudaSuccess &&
                     attributes.type != cudaMemoryTypeUnregistered && attributes.device >= 0;
  return known ? static_cast<std::uint32_t>(attributes.device) : current_device();
}

// A free waits for the work of the memory's device.
cudaError_t free_memory(void* pointer, const void* frame, cudaError_t (*vendor)(void*)) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(pointer);
  const Wait wait{.call = Call::device_free, .waits = Waits::device, .device = device_of(pointer)};
  return forward_waiting(thread, wait, frame, vendor, pointer);
}

}  // namespace

GRIDLOCK_INTERPOSE cudaError_t cudaMalloc(void** pointer, size_t size) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaMalloc)> vendor("cudaMalloc");
  if (size == 0 && vendor.get() != nullptr) return vendor.get()(pointer, size);
  return wait_for_device(Call::device_malloc, __builtin_frame_address(0), vendor.get(), pointer,
                         size);
}

GRIDLOCK_INTERPOSE cudaError_t cudaFree(void* pointer) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaFree)> vendor("cudaFree");
  // cudaFree(0) waits for nothing: it is the idiom for making a context.
  if (pointer == nullptr && vendor.get() != nullptr) return vendor.get()(pointer);
  return free_memory(pointer, __builtin_frame_address(0), vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cudaMallocHost(void** pointer, size_t size) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaMallocHost)> vendor("cudaMallocHost");
  if (size == 0 && vendor.get() != nullptr) return vendor.get()(pointer, size);
  return wait_for_device(Call::host_malloc, __builtin_frame_address(0), vendor.get(), pointer,
                         size);
}

GRIDLOCK_INTERPOSE cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned int flags) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaHostAlloc)> vendor("cudaHostAlloc");
  if (size == 0 && vendor.get() != nullptr) return vendor.get()(pointer, size, flags);
  return wait_for_device(Call::host_malloc, __builtin_frame_address(0), vendor.get(), pointer, size,
                         flags);
}

// Freeing pinned memory waits like freeing device memory: until nothing can use it any more.
GRIDLOCK_INTERPOSE cudaError_t cudaFreeHost(void* pointer) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaFreeHost)> vendor("cudaFreeHost");
  if (pointer == nullptr && vendor.get() != nullptr) return vendor.get()(pointer);
  return free_memory(pointer, __builtin_frame_address(0), vendor.get());
}

// CUDA's documents do not say so, but on an H100 it waited for all work of the device. The
// simulation does not wait.
GRIDLOCK_INTERPOSE cudaError_t cudaHostUnregister(void* pointer) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaHostUnregister)> vendor(
      "cudaHostUnregister");
  const bool is_simulated = std::string_view(backend()) != "cuda";
  if (is_simulated && vendor.get() != nullptr) return vendor.get()(pointer);
  return free_memory(pointer, __builtin_frame_address(0), vendor.get());
}
