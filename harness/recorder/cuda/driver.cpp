// The driver API, as far as it waits, orders work or marks events. A program may call it beside the
// runtime, whose streams and events it shares. It proves nothing about the runtime's calls, which
// may be linked in.
#include <span>

#include "harness/recorder/core/graphs.h"
#include "harness/recorder/cuda/events.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::kNone;

namespace {

// CUlaunchConfig. Its attributes are the runtime's.
struct LaunchConfig {
  unsigned int grid[3];
  unsigned int block[3];
  unsigned int shared;
  cudaStream_t stream;
  cudaLaunchAttribute* attributes;
  unsigned int count;
};

cudaError_t synchronize(const Wait& wait, const void* frame, cudaError_t (*vendor)(cudaStream_t),
                        cudaStream_t stream) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(stream);
  return show_waiting(thread, wait, frame, vendor, stream);
}

template <class Function, class... Arguments>
cudaError_t record_event(cudaEvent_t event, cudaStream_t stream, Function* vendor,
                         Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(arguments...);
  const Inside inside(thread);
  const std::uint32_t index = stream_index(stream);
  const std::uint64_t position = index == kNone ? 0 : enqueued(index);
  const cudaError_t error = vendor(arguments...);
  if (error != cudaSuccess || index == kNone || is_captured(stream) || implicit_order_possible()) {
    forget_mark(event);
  } else {
    set_mark(event, {.stream = index, .position = position});
  }
  return error;
}

cudaError_t call_host(cudaStream_t stream, const void* frame,
                      cudaError_t (*vendor)(cudaStream_t, cudaHostFn_t, void*), cudaStream_t handed,
                      cudaHostFn_t function, void* data) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(handed, function, data);
  if (is_captured(stream)) {
    note_captured_host_function(stream);
    return vendor(handed, function, data);
  }
  const Inside inside(thread);
  gridlock::record::OperationEntry entry;
  entry.call = Call::host_function;
  entry.stream = stream_index(stream);
  const Placed placed = announce(entry, thread, frame);
  const cudaError_t error = vendor(handed, function, data);
  end(placed, error);
  return error;
}

cudaError_t created(cudaError_t error, const cudaStream_t* stream, unsigned int flags) {
  if (error == cudaSuccess && records(this_thread())) stream_created(*stream, flags);
  return error;
}

cudaError_t launch_extended(const LaunchConfig* launch, DefaultStream meaning, const void* frame,
                            cudaError_t (*vendor)(const LaunchConfig*, void*, void**, void**),
                            void* function, void** arguments, void** extra) {
  cudaStream_t stream = launch == nullptr ? nullptr : launch->stream;
  const cudaError_t error =
      forward_work(resolve(stream, meaning), frame, vendor, launch, function, arguments, extra);
  if (launch != nullptr && error == cudaSuccess && records(this_thread())) {
    forget_events_of(std::span(launch->attributes, launch->count));
  }
  return error;
}

}  // namespace

GRIDLOCK_CUDA_TWINS(cuStreamSynchronize, _ptsz, (cudaStream_t stream),
                    synchronize(stream_wait(Call::stream_synchronize, resolve(stream, meaning)),
                                frame, vendor, stream));

GRIDLOCK_INTERPOSE cudaError_t cuCtxSynchronize() {
  static constinit NextCuda<decltype(cuCtxSynchronize)> vendor("cuCtxSynchronize");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor.get()();
  return show_waiting(thread, device_wait(Call::device_synchronize), __builtin_frame_address(0),
                      vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cuEventSynchronize(cudaEvent_t event) {
  static constinit NextCuda<decltype(cuEventSynchronize)> vendor("cuEventSynchronize");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor.get()(event);
  return show_waiting(thread, event_wait(event), __builtin_frame_address(0), vendor.get(), event);
}

GRIDLOCK_CUDA_TWINS(cuEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream),
                    record_event(event, resolve(stream, meaning), vendor, event, stream));

GRIDLOCK_CUDA_TWINS(cuEventRecordWithFlags, _ptsz,
                    (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
                    record_event(event, resolve(stream, meaning), vendor, event, stream, flags));

GRIDLOCK_INTERPOSE cudaError_t cuEventDestroy_v2(cudaEvent_t event) {
  static constinit NextCuda<decltype(cuEventDestroy_v2)> vendor("cuEventDestroy_v2");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  if (records(this_thread())) event_destroyed(event);
  return vendor.get()(event);
}

GRIDLOCK_INTERPOSE cudaError_t cuStreamCreate(cudaStream_t* stream, unsigned int flags) {
  static constinit NextCuda<decltype(cuStreamCreate)> vendor("cuStreamCreate");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  return created(vendor.get()(stream, flags), stream, flags);
}

GRIDLOCK_INTERPOSE cudaError_t cuStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags,
                                                          int priority) {
  static constinit NextCuda<decltype(cuStreamCreateWithPriority)> vendor(
      "cuStreamCreateWithPriority");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  return created(vendor.get()(stream, flags, priority), stream, flags);
}

GRIDLOCK_INTERPOSE cudaError_t cuStreamDestroy_v2(cudaStream_t stream) {
  static constinit NextCuda<decltype(cuStreamDestroy_v2)> vendor("cuStreamDestroy_v2");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  if (stream != nullptr && records(this_thread())) stream_destroyed(stream);
  return vendor.get()(stream);
}

GRIDLOCK_CUDA_TWINS(cuLaunchHostFunc, _ptsz,
                    (cudaStream_t stream, cudaHostFn_t function, void* data),
                    call_host(resolve(stream, meaning), frame, vendor, stream, function, data));

GRIDLOCK_CUDA_TWINS(cuLaunchKernel, _ptsz,
                    (void* function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                     unsigned int block_x, unsigned int block_y, unsigned int block_z,
                     unsigned int shared, cudaStream_t stream, void** arguments, void** extra),
                    forward_work(resolve(stream, meaning), frame, vendor, function, grid_x, grid_y,
                                 grid_z, block_x, block_y, block_z, shared, stream, arguments,
                                 extra));

GRIDLOCK_CUDA_TWINS(cuLaunchKernelEx, _ptsz,
                    (const LaunchConfig* launch, void* function, void** arguments, void** extra),
                    launch_extended(launch, meaning, frame, vendor, function, arguments, extra));
