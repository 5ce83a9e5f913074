// Streams and events: making streams, recording events, and waiting for them on streams.
#include "harness/recorder/core/aside.h"
#include "harness/recorder/cuda/events.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::kNone;

namespace {

cudaError_t created(cudaError_t error, const cudaStream_t* stream, unsigned int flags) {
  if (error == cudaSuccess && records(this_thread())) {
    note_cuda();
    stream_created(*stream, flags);
  }
  return error;
}

// The event marks what was on the stream at the call. Work that other threads launch meanwhile may
// come before it or after it.
template <class Function, class... Arguments>
cudaError_t record_event(cudaEvent_t event, cudaStream_t stream, unsigned flags, const void* frame,
                         Function* vendor, Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(arguments...);
  const Inside inside(thread);
  note_cuda();
  const std::uint32_t index = stream_index(stream);
  std::uint64_t position = index == kNone ? 0 : enqueued(index);
  const ImplicitOrder order = implicit_order_possible() ? implicit_order(stream) : ImplicitOrder();
  cudaError_t error = cudaSuccess;
  if (!order.needed) [[likely]] {
    error = vendor(arguments...);
  } else {
    const Placed placed = announce_implicit_order(thread, order, frame);
    error = vendor(arguments...);
    if (error != cudaSuccess) {
      drop(placed);
    } else if (launch(placed) == position + 1) {
      ++position;
    }
  }
  const bool captured = is_captured(stream);
  if (error != cudaSuccess || index == kNone || captured) {
    forget_mark(event);
    if (captured && (flags & cudaEventRecordExternal) != 0) never_mark(event);
  } else {
    set_mark(event, {.stream = index, .position = position});
  }
  return error;
}

Cuda<cudaError_t(cudaEvent_t)> g_query("cudaEventQuery");

// As CUDA says, which may know it before the record does.
bool has_occurred(cudaEvent_t event) {
  const OwnErrors errors;
  auto* query = g_query.get();
  return query != nullptr && query(event) == cudaSuccess;
}

cudaError_t wait_event(cudaStream_t stream, cudaEvent_t event, unsigned int flags,
                       const void* frame,
                       cudaError_t (*vendor)(cudaStream_t, cudaEvent_t, unsigned int)) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(stream, event, flags);
  const Mark mark = mark_of(event);
  gridlock::record::OperationEntry entry;
  entry.call = Call::event_wait;
  entry.stream = stream_index(stream);
  entry.event_stream = mark.stream;
  entry.event_position = mark.position;
  // Not recorded: a wait that cannot hold up the stream, and a captured wait, which belongs to the
  // graph.
  const auto is_nothing = [&] {
    return mark.position == 0 || entry.stream == kNone || mark.stream == entry.stream ||
           is_past(mark.stream, mark.position) || (is_legacy(entry.stream) && has_occurred(event));
  };
  if (is_captured(stream)) return vendor(stream, event, flags);
  const Inside inside(thread);
  note_cuda();
  if (is_nothing()) return vendor(stream, event, flags);
  const Placed placed = announce(entry, thread, frame);
  const cudaError_t error = vendor(stream, event, flags);
  if (error != cudaSuccess || is_nothing()) {
    drop(placed);
  } else {
    launch(placed);
  }
  return error;
}

}  // namespace

GRIDLOCK_INTERPOSE cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  static constinit NextCuda<decltype(cudaStreamCreate)> vendor("cudaStreamCreate");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  return created(vendor.get()(stream), stream, 0);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  static constinit NextCuda<decltype(cudaStreamCreateWithFlags)> vendor(
      "cudaStreamCreateWithFlags");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  return created(vendor.get()(stream, flags), stream, flags);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream,
                                                            unsigned int flags, int priority) {
  static constinit NextCuda<decltype(cudaStreamCreateWithPriority)> vendor(
      "cudaStreamCreateWithPriority");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  return created(vendor.get()(stream, flags, priority), stream, flags);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  static constinit NextCuda<decltype(cudaStreamDestroy)> vendor("cudaStreamDestroy");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  // Before the call, because the handle may be reused at once.
  if (stream != nullptr && records(this_thread())) stream_destroyed(stream);
  return vendor.get()(stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaEventDestroy(cudaEvent_t event) {
  static constinit NextCuda<decltype(cudaEventDestroy)> vendor("cudaEventDestroy");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  if (records(this_thread())) event_destroyed(event);
  return vendor.get()(event);
}

GRIDLOCK_CUDA_TWINS(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream),
                    record_event(event, resolve(stream, meaning), 0, frame, vendor, event, stream));

GRIDLOCK_CUDA_TWINS(cudaEventRecordWithFlags, _ptsz,
                    (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
                    record_event(event, resolve(stream, meaning), flags, frame, vendor, event,
                                 stream, flags));

GRIDLOCK_INTERPOSE cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                           const cudaGraphNode_t* after,
                                                           size_t count, cudaEvent_t event) {
  static constinit NextCuda<decltype(cudaGraphAddEventRecordNode)> vendor(
      "cudaGraphAddEventRecordNode");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  if (records(this_thread())) never_mark(event);
  return vendor.get()(node, graph, after, count, event);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                                   unsigned int flags) {
  static constinit NextCuda<decltype(cudaStreamWaitEvent)> vendor("cudaStreamWaitEvent");
  return wait_event(stream, event, flags, __builtin_frame_address(0), vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event,
                                                        unsigned int flags) {
  // The per-thread default stream has its own handle, which the plain function accepts too.
  static constinit NextCuda<decltype(cudaStreamWaitEvent)> vendor("cudaStreamWaitEvent");
  return wait_event(resolve(stream, DefaultStream::per_thread), event, flags,
                    __builtin_frame_address(0), vendor.get());
}
