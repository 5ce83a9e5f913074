// Copies and sets: some wait on the host, all are work on a stream.
#include "harness/recorder/cuda/twins.h"

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
  const Wait wait = stream_wait(Call::memcpy_sync, stream);
  const ImplicitOrder implicit =
      implicit_order_possible() ? implicit_order(stream) : ImplicitOrder();
  if (!implicit.needed) return forward_waiting(thread, wait, frame, vendor, arguments...);
  const Placed order = announce_implicit_order(thread, implicit, frame);
  const cudaError_t error = forward_waiting(thread, wait, frame, vendor, arguments...);
  end(order, error);
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

}  // namespace

GRIDLOCK_CUDA_TWINS(cudaMemcpy, _ptds,
                    (void* to, const void* from, size_t size, cudaMemcpyKind kind),
                    copy_sync(kind, resolve(nullptr, meaning), frame, vendor, to, from, size,
                              kind));

GRIDLOCK_CUDA_TWINS(cudaMemcpyAsync, _ptsz,
                    (void* to, const void* from, size_t size, cudaMemcpyKind kind,
                     cudaStream_t stream),
                    copy_async(to, from, kind, resolve(stream, meaning), frame, vendor, to, from,
                               size, kind, stream));

GRIDLOCK_CUDA_TWINS(cudaMemcpy2D, _ptds,
                    (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                     size_t height, cudaMemcpyKind kind),
                    copy_sync(kind, resolve(nullptr, meaning), frame, vendor, to, to_pitch, from,
                              from_pitch, width, height, kind));

GRIDLOCK_CUDA_TWINS(cudaMemcpy2DAsync, _ptsz,
                    (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                     size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    copy_async(to, from, kind, resolve(stream, meaning), frame, vendor, to,
                               to_pitch, from, from_pitch, width, height, kind, stream));

GRIDLOCK_CUDA_TWINS(cudaMemset, _ptds, (void* pointer, int value, size_t size),
                    forward_work(resolve(nullptr, meaning), frame, vendor, pointer, value, size));

GRIDLOCK_CUDA_TWINS(cudaMemsetAsync, _ptsz,
                    (void* pointer, int value, size_t size, cudaStream_t stream),
                    forward_work(resolve(stream, meaning), frame, vendor, pointer, value, size,
                                 stream));
