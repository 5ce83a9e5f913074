// cudaStream…: creation, queries and waits. stream.cpp orders streams against each other.
#include <memory>
#include <mutex>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/graphs/capture.h"

using sim::api;
using sim::find_stream;
using sim::Stream;

namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

cudaError_t make_stream(cudaStream_t* result, unsigned int flags, int priority) {
  if (result == nullptr || (flags & ~static_cast<unsigned int>(cudaStreamNonBlocking)) != 0) {
    return cudaErrorInvalidValue;
  }
  // As CUDA does, a priority outside the range becomes the nearest one inside.
  const int within = priority > kLeastPriority      ? kLeastPriority
                     : priority < kGreatestPriority ? kGreatestPriority
                                                    : priority;
  const int number = sim::current_device();
  sim::Device& owner = sim::device(number);
  auto* stream = new Stream(number, Stream::Kind::kCreated, flags, within);
  const std::lock_guard lock(owner.mutex);
  owner.streams.push_back(stream);
  *result = stream->handle();
  return cudaSuccess;
}

// Applies `body` to the stream that `handle` means.
template <class Body>
cudaError_t with_stream(cudaStream_t handle, Body body) {
  return api([&] {
    Stream* stream = find_stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : body(*stream);
  });
}

template <class Value, class Get>
cudaError_t answer(cudaStream_t handle, Value* result, Get get) {
  return with_stream(handle, [&](Stream& stream) {
    if (result == nullptr) return cudaErrorInvalidValue;
    *result = get(stream);
    return cudaSuccess;
  });
}

// Checks the stream's own capture, and the captures that forbid this thread to wait.
cudaError_t refuse_host_wait(Stream& stream) {
  if (!sim::any_capture()) return cudaSuccess;
  if (const cudaError_t error = sim::refuse_wait(stream); error != cudaSuccess) return error;
  return sim::refuse_unsafe();
}

struct Callback final : sim::Work {
  Callback(cudaStreamCallback_t called, cudaStream_t handle, void* user_data)
      : function(called), stream(handle), argument(user_data) {}
  void run() override { function(stream, cudaSuccess, argument); }
  cudaStreamCallback_t function;
  cudaStream_t stream;
  void* argument;
};

struct HostFunction final : sim::Work {
  HostFunction(cudaHostFn_t called, void* user_data) : function(called), argument(user_data) {}
  void run() override { function(argument); }
  cudaGraphNodeType node_type() const override { return cudaGraphNodeTypeHost; }
  cudaHostFn_t function;
  void* argument;
};

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return api([&] { return make_stream(pStream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return api([&] { return make_stream(pStream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  return api([&] { return make_stream(pStream, flags, priority); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (leastPriority != nullptr) *leastPriority = kLeastPriority;
  if (greatestPriority != nullptr) *greatestPriority = kGreatestPriority;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return with_stream(stream, [](Stream& target) {
    if (target.kind() != Stream::Kind::kCreated) return cudaErrorInvalidResourceHandle;
    sim::capture_forget(target);
    target.close();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags) {
  return answer(hStream, flags, [](Stream& stream) { return stream.flags(); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int* priority) {
  return answer(hStream, priority, [](Stream& stream) { return stream.priority(); });
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId) {
  return answer(hStream, streamId, [](Stream& stream) { return stream.id(); });
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int* device) {
  return answer(hStream, device, [](Stream& stream) { return stream.device(); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_stream(stream, [](Stream& target) {
    if (const cudaError_t error = refuse_host_wait(target); error != cudaSuccess) return error;
    for (const sim::Mark& mark : target.ends()) mark.wait();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return with_stream(stream, [](Stream& target) {
    if (const cudaError_t error = refuse_host_wait(target); error != cudaSuccess) return error;
    return target.done() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* userData, unsigned int flags) {
  return with_stream(stream, [&](Stream& target) {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    if (const cudaError_t error = sim::refuse_captured(target); error != cudaSuccess) return error;
    return target.push(std::make_unique<Callback>(callback, stream, userData));
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  return with_stream(stream, [&](Stream& target) {
    if (fn == nullptr) return cudaErrorInvalidValue;
    return target.push(std::make_unique<HostFunction>(fn, userData));
  });
}
