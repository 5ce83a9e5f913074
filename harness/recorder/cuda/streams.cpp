// Streams and events: making streams, recording events, and waiting for them on streams.
#include "harness/recorder/core/aside.h"
#include "harness/recorder/core/streams/captures.h"
#include "harness/recorder/cuda/shared_calls.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::kNone;

namespace {

GRIDLOCK_LOOKUP Cuda<cudaError_t(cudaEvent_t)> g_query("cudaEventQuery");

// As CUDA says, which may know it before the record does. An answer would replace an error that the
// program has not fetched yet; then it counts as past, because the wait is in doubt.
bool has_occurred(cudaEvent_t event) {
  if (has_pending_error()) return true;
  const OwnErrors errors;
  const BesideCaptures captures;
  auto* query = g_query.get();
  return query != nullptr && query(event) == cudaSuccess;
}

// The event may be one of a capture, which the stream then joins.
cudaError_t wait_or_join(cudaStream_t stream, cudaEvent_t event, unsigned int flags,
                         cudaError_t (*vendor)(cudaStream_t, cudaEvent_t, unsigned int)) {
  if (!any_capture()) return vendor(stream, event, flags);
  const MayCapture may;
  return vendor(stream, event, flags);
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
  const PlacesWork places(thread, entry.stream);
  if (is_nothing()) return wait_or_join(stream, event, flags, vendor);
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
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaStreamCreate)> vendor("cudaStreamCreate");
  return make_stream<Api::runtime>(vendor.get(), 0, stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaStreamCreateWithFlags)> vendor(
      "cudaStreamCreateWithFlags");
  return make_stream<Api::runtime>(vendor.get(), flags, stream, flags);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream,
                                                            unsigned int flags, int priority) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaStreamCreateWithPriority)> vendor(
      "cudaStreamCreateWithPriority");
  return make_stream<Api::runtime>(vendor.get(), flags, stream, flags, priority);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaStreamDestroy)> vendor(
      "cudaStreamDestroy");
  return destroy(stream, vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cudaEventDestroy(cudaEvent_t event) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaEventDestroy)> vendor("cudaEventDestroy");
  return destroy(event, vendor.get());
}

GRIDLOCK_CUDA_TWINS(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream),
                    record_event<Api::runtime>(event, resolve(stream, meaning), 0, frame, vendor,
                                               event, stream));

GRIDLOCK_CUDA_TWINS(cudaEventRecordWithFlags, _ptsz,
                    (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
                    record_event<Api::runtime>(event, resolve(stream, meaning), flags, frame,
                                               vendor, event, stream, flags));

GRIDLOCK_INTERPOSE cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                           const cudaGraphNode_t* after,
                                                           size_t count, cudaEvent_t event) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaGraphAddEventRecordNode)> vendor(
      "cudaGraphAddEventRecordNode");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  if (records(this_thread())) never_mark(event);
  return vendor.get()(node, graph, after, count, event);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                                   unsigned int flags) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaStreamWaitEvent)> vendor(
      "cudaStreamWaitEvent");
  return wait_event(stream, event, flags, __builtin_frame_address(0), vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event,
                                                        unsigned int flags) {
  // The per-thread default stream has its own handle, which the plain function accepts too.
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaStreamWaitEvent)> vendor(
      "cudaStreamWaitEvent");
  return wait_event(resolve(stream, DefaultStream::per_thread), event, flags,
                    __builtin_frame_address(0), vendor.get());
}
