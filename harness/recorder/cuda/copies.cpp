// Copies and sets: some wait on the host, all are work on a stream.
#include "harness/recorder/core/streams/captures.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::kNone;
using gridlock::record::Waits;

namespace {

GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaPointerAttributes*, const void*)> g_attributes(
    "cudaPointerGetAttributes");

bool lies_in(cudaMemoryType type, const void* pointer) {
  cudaPointerAttributes attributes{};
  auto* get = g_attributes.get();
  return get != nullptr && get(&attributes, pointer) == cudaSuccess && attributes.type == type;
}

bool is_pageable(const void* pointer) { return lies_in(cudaMemoryTypeUnregistered, pointer); }
bool is_pinned(const void* pointer) { return lies_in(cudaMemoryTypeHost, pointer); }

struct Copied {
  const void* to = nullptr;
  const void* from = nullptr;
  size_t bytes = 0;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

// Whether a copy does not wait on the host, whatever the call's name suggests.
//   Source  CUDA Runtime API, API synchronization behavior
bool never_waits(const Copied& what) {
  if (what.kind == cudaMemcpyDeviceToDevice) return true;
  return what.kind == cudaMemcpyDefault && lies_in(cudaMemoryTypeDevice, what.to) &&
         lies_in(cudaMemoryTypeDevice, what.from);
}

// The host waits in these, also if the memory is pinned.
//   Source  CUDA Runtime API, API synchronization behavior
bool is_between_hosts(const Copied& what) {
  return what.kind == cudaMemcpyHostToHost ||
         (what.kind == cudaMemcpyDefault && is_pinned(what.to) && is_pinned(what.from));
}

// CUDA copies up to this much pageable memory aside, so that an asynchronous copy to the device
// returns.
//   Source  CUDA Programming Guide, concurrent execution between host and device
constexpr size_t kPutAside = size_t{64} << 10;

// Whether an asynchronous copy uses pageable memory, so that the host waits in it after all. Memory
// types are queried only if there is something to wait for, because a query costs more than
// recording.
bool waits_on_host(const Copied& what, std::uint32_t stream) {
  if (stream == kNone || (is_idle(stream) && !implicit_order_possible())) return false;
  if (never_waits(what)) return false;
  if (is_between_hosts(what)) return true;
  if (what.kind != cudaMemcpyHostToDevice && is_pageable(what.to)) return true;
  if (what.kind == cudaMemcpyDeviceToHost || !is_pageable(what.from)) return false;
  const bool to_device =
      what.kind == cudaMemcpyHostToDevice || lies_in(cudaMemoryTypeDevice, what.to);
  return !to_device || what.bytes > kPutAside;
}

// Forwards a copy, which is work on `stream`; if `waits`, the host waits for it.
template <class Function, class... Arguments>
cudaError_t copy(bool waits, cudaStream_t stream, const void* frame, Function* vendor,
                 Arguments... arguments) {
  ThreadState& thread = this_thread();
  if (!waits) return forward_work(stream, frame, vendor, arguments...);
  const Inside inside(thread);
  const Wait wait = stream_wait(Call::memcpy_sync, stream);
  const auto waiting = [&](Arguments... handed) {
    return forward_waiting(thread, wait, frame, vendor, handed...);
  };
  return forward_in_order(thread, stream, frame, waiting, arguments...);
}

template <class Function, class... Arguments>
cudaError_t copy_async(const Copied& what, cudaStream_t stream, const void* frame, Function* vendor,
                       Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (what.bytes == 0 || !records(thread)) return vendor(arguments...);
  bool waits = false;
  if (!is_captured(stream)) {
    const Inside inside(thread);
    waits = waits_on_host(what, stream_index(stream));
  }
  return copy(waits, stream, frame, vendor, arguments...);
}

template <class Function, class... Arguments>
cudaError_t copy_sync(const Copied& what, cudaStream_t stream, const void* frame, Function* vendor,
                      Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  if (what.bytes == 0 || !records(this_thread())) return vendor(arguments...);
  return copy(!never_waits(what), stream, frame, vendor, arguments...);
}

// A call that does not wait: a set, or a copy between devices. No bytes are no work, and order
// nothing.
template <class Function, class... Arguments>
cudaError_t work(size_t bytes, cudaStream_t stream, const void* frame, Function* vendor,
                 Arguments... arguments) {
  if (bytes == 0 && vendor != nullptr) return vendor(arguments...);
  return forward_work(stream, frame, vendor, arguments...);
}

}  // namespace

GRIDLOCK_CUDA_TWINS(cudaMemcpy, _ptds,
                    (void* to, const void* from, size_t size, cudaMemcpyKind kind),
                    copy_sync({to, from, size, kind}, resolve(nullptr, meaning), frame, vendor, to,
                              from, size, kind));

GRIDLOCK_CUDA_TWINS(cudaMemcpyAsync, _ptsz,
                    (void* to, const void* from, size_t size, cudaMemcpyKind kind,
                     cudaStream_t stream),
                    copy_async({to, from, size, kind}, resolve(stream, meaning), frame, vendor, to,
                               from, size, kind, stream));

GRIDLOCK_CUDA_TWINS(cudaMemcpy2D, _ptds,
                    (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                     size_t height, cudaMemcpyKind kind),
                    copy_sync({to, from, width* height, kind}, resolve(nullptr, meaning), frame,
                              vendor, to, to_pitch, from, from_pitch, width, height, kind));

GRIDLOCK_CUDA_TWINS(cudaMemcpy2DAsync, _ptsz,
                    (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                     size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    copy_async({to, from, width* height, kind}, resolve(stream, meaning), frame,
                               vendor, to, to_pitch, from, from_pitch, width, height, kind,
                               stream));

GRIDLOCK_CUDA_TWINS(cudaMemset, _ptds, (void* pointer, int value, size_t size),
                    work(size, resolve(nullptr, meaning), frame, vendor, pointer, value, size));

GRIDLOCK_CUDA_TWINS(cudaMemsetAsync, _ptsz,
                    (void* pointer, int value, size_t size, cudaStream_t stream),
                    work(size, resolve(stream, meaning), frame, vendor, pointer, value, size,
                         stream));

GRIDLOCK_INTERPOSE cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from,
                                              int from_device, size_t size) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaMemcpyPeer)> vendor("cudaMemcpyPeer");
  return work(size, nullptr, __builtin_frame_address(0), vendor.get(), to, to_device, from,
              from_device, size);
}

GRIDLOCK_INTERPOSE cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from,
                                                   int from_device, size_t size,
                                                   cudaStream_t stream) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaMemcpyPeerAsync)> vendor(
      "cudaMemcpyPeerAsync");
  return work(size, stream, __builtin_frame_address(0), vendor.get(), to, to_device, from,
              from_device, size, stream);
}

GRIDLOCK_CUDA_TWINS(cudaMemcpyToSymbol, _ptds,
                    (const void* symbol, const void* from, size_t size, size_t offset,
                     cudaMemcpyKind kind),
                    copy_sync({symbol, from, size, kind}, resolve(nullptr, meaning), frame, vendor,
                              symbol, from, size, offset, kind));

GRIDLOCK_CUDA_TWINS(cudaMemcpyFromSymbol, _ptds,
                    (void* to, const void* symbol, size_t size, size_t offset, cudaMemcpyKind kind),
                    copy_sync({to, symbol, size, kind}, resolve(nullptr, meaning), frame, vendor,
                              to, symbol, size, offset, kind));
