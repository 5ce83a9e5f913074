// Copies and sets: some wait on the host, all are work on a stream.
#include "harness/recorder/cuda/call.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::kNone;
using gridlock::record::Waits;

namespace {

Cuda<cudaError_t(cudaPointerAttributes*, const void*)> g_attributes("cudaPointerGetAttributes");

bool is_pageable(const void* pointer) {
  cudaPointerAttributes attributes{};
  auto* get = g_attributes.get();
  return get != nullptr && get(&attributes, pointer) == cudaSuccess &&
         attributes.type == cudaMemoryTypeUnregistered;
}

// Whether an asynchronous copy goes through pageable memory, so that the host waits in it after
// all. Asked only when there is something to wait for, because asking costs more than recording.
bool waits_on_host(const void* to, const void* from, cudaMemcpyKind kind, std::uint32_t stream) {
  if (kind == cudaMemcpyDeviceToDevice || stream == kNone) return false;
  if (is_idle(stream) && !implicit_order_possible()) return false;
  return (kind != cudaMemcpyHostToDevice && is_pageable(to)) ||
         (kind != cudaMemcpyDeviceToHost && is_pageable(from));
}

// A copy that the host waits for, if `waits`; in any case work on `stream`.
template <class Function, class... Arguments>
cudaError_t copy(bool waits, cudaStream_t stream, const void* frame, Function* vendor,
                 Arguments... arguments) {
  ThreadState& thread = this_thread();
  if (!waits) return forward_work(stream, frame, vendor, arguments...);
  const Inside inside(thread);
  Placed order;
  if (implicit_order_possible()) {
    const ImplicitOrder implicit = implicit_order(stream);
    if (implicit.needed) order = place_implicit_order(thread, implicit, frame);
  }
  const cudaError_t error =
      forward_waiting(thread, stream_wait(Call::memcpy_sync, stream), frame, vendor, arguments...);
  finish(order);
  return error;
}

template <class Function, class... Arguments>
cudaError_t copy_async(void* to, const void* from, cudaMemcpyKind kind, cudaStream_t stream,
                       const void* frame, Function* vendor, Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(arguments...);
  bool waits = false;
  if (!is_captured(stream)) {
    const Inside inside(thread);
    waits = waits_on_host(to, from, kind, stream_index(stream));
  }
  return copy(waits, stream, frame, vendor, arguments...);
}

template <class Function, class... Arguments>
cudaError_t copy_sync(cudaMemcpyKind kind, cudaStream_t stream, const void* frame, Function* vendor,
                      Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  if (!records(this_thread())) return vendor(arguments...);
  // A copy within the device does not wait on the host, whatever its name says.
  return copy(kind != cudaMemcpyDeviceToDevice, stream, frame, vendor, arguments...);
}

using Copy = cudaError_t(void*, const void*, size_t, cudaMemcpyKind);
using CopyAsync = cudaError_t(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
using Copy2D = cudaError_t(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind);
using Copy2DAsync = cudaError_t(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind,
                                cudaStream_t);

}  // namespace

GRIDLOCK_INTERPOSE cudaError_t cudaMemcpy(void* to, const void* from, size_t size,
                                          cudaMemcpyKind kind) {
  static constinit Cuda<Copy> vendor("cudaMemcpy");
  return copy_sync(kind, nullptr, __builtin_frame_address(0), vendor.get(), to, from, size, kind);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t size,
                                               cudaMemcpyKind kind) {
  static constinit Cuda<Copy> vendor("cudaMemcpy_ptds");
  return copy_sync(kind, cudaStreamPerThread, __builtin_frame_address(0), vendor.get(), to, from,
                   size, kind);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size,
                                               cudaMemcpyKind kind, cudaStream_t stream) {
  static constinit Cuda<CopyAsync> vendor("cudaMemcpyAsync");
  return copy_async(to, from, kind, stream, __builtin_frame_address(0), vendor.get(), to, from,
                    size, kind, stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, size_t size,
                                                    cudaMemcpyKind kind, cudaStream_t stream) {
  static constinit Cuda<CopyAsync> vendor("cudaMemcpyAsync_ptsz");
  return copy_async(to, from, kind, resolve(stream, DefaultStream::per_thread),
                    __builtin_frame_address(0), vendor.get(), to, from, size, kind, stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from,
                                            size_t from_pitch, size_t width, size_t height,
                                            cudaMemcpyKind kind) {
  static constinit Cuda<Copy2D> vendor("cudaMemcpy2D");
  return copy_sync(kind, nullptr, __builtin_frame_address(0), vendor.get(), to, to_pitch, from,
                   from_pitch, width, height, kind);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemcpy2D_ptds(void* to, size_t to_pitch, const void* from,
                                                 size_t from_pitch, size_t width, size_t height,
                                                 cudaMemcpyKind kind) {
  static constinit Cuda<Copy2D> vendor("cudaMemcpy2D_ptds");
  return copy_sync(kind, cudaStreamPerThread, __builtin_frame_address(0), vendor.get(), to,
                   to_pitch, from, from_pitch, width, height, kind);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                                                 size_t from_pitch, size_t width, size_t height,
                                                 cudaMemcpyKind kind, cudaStream_t stream) {
  static constinit Cuda<Copy2DAsync> vendor("cudaMemcpy2DAsync");
  return copy_async(to, from, kind, stream, __builtin_frame_address(0), vendor.get(), to, to_pitch,
                    from, from_pitch, width, height, kind, stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemcpy2DAsync_ptsz(void* to, size_t to_pitch, const void* from,
                                                      size_t from_pitch, size_t width,
                                                      size_t height, cudaMemcpyKind kind,
                                                      cudaStream_t stream) {
  static constinit Cuda<Copy2DAsync> vendor("cudaMemcpy2DAsync_ptsz");
  return copy_async(to, from, kind, resolve(stream, DefaultStream::per_thread),
                    __builtin_frame_address(0), vendor.get(), to, to_pitch, from, from_pitch, width,
                    height, kind, stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemset(void* pointer, int value, size_t size) {
  static constinit Cuda<cudaError_t(void*, int, size_t)> vendor("cudaMemset");
  return forward_work(nullptr, __builtin_frame_address(0), vendor.get(), pointer, value, size);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemset_ptds(void* pointer, int value, size_t size) {
  static constinit Cuda<cudaError_t(void*, int, size_t)> vendor("cudaMemset_ptds");
  return forward_work(cudaStreamPerThread, __builtin_frame_address(0), vendor.get(), pointer, value,
                      size);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemsetAsync(void* pointer, int value, size_t size,
                                               cudaStream_t stream) {
  static constinit Cuda<cudaError_t(void*, int, size_t, cudaStream_t)> vendor("cudaMemsetAsync");
  return forward_work(stream, __builtin_frame_address(0), vendor.get(), pointer, value, size,
                      stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemsetAsync_ptsz(void* pointer, int value, size_t size,
                                                    cudaStream_t stream) {
  static constinit Cuda<cudaError_t(void*, int, size_t, cudaStream_t)> vendor(
      "cudaMemsetAsync_ptsz");
  return forward_work(resolve(stream, DefaultStream::per_thread), __builtin_frame_address(0),
                      vendor.get(), pointer, value, size, stream);
}
