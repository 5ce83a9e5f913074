// Calls that CUDA's runtime and its driver both have. In what follows, `stream` says what the
// handle among the arguments means.
#pragma once

#include <span>

#include "harness/recorder/core/streams/captures.h"
#include "harness/recorder/core/streams/graphs.h"
#include "harness/recorder/cuda/call.h"
#include "harness/recorder/cuda/events.h"

namespace gridlock::recorder {

template <Api api>
[[gnu::flatten]] cudaError_t synchronize(cudaStream_t stream, const void* frame,
                                         cudaError_t (*vendor)(cudaStream_t), cudaStream_t handed) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(handed);
  const Wait wait = stream_wait(record::Call::stream_synchronize, stream);
  return forward_waiting<api>(thread, wait, frame, vendor, handed);
}

template <Api api>
cudaError_t synchronize(cudaEvent_t event, const void* frame, cudaError_t (*vendor)(cudaEvent_t)) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(event);
  return forward_waiting<api>(thread, event_wait(event), frame, vendor, event);
}

// Forwards a call that asks whether `awaited()` has ended.
template <class Awaited, class Function, class Argument>
cudaError_t query(Awaited awaited, Function* vendor, Argument argument) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  const cudaError_t answer = vendor(argument);
  if (!records(thread)) return answer;
  if (answer == cudaErrorNotReady) {
    note_asked(thread, awaited());
  } else if (thread.asked != 0) {
    note_answered(thread, awaited());
  }
  return answer;
}
inline cudaError_t query(cudaStream_t stream, cudaError_t (*vendor)(cudaStream_t),
                         cudaStream_t handed) {
  return query([stream] { return stream_wait(record::Call::poll, stream); }, vendor, handed);
}
inline cudaError_t query(cudaEvent_t event, cudaError_t (*vendor)(cudaEvent_t)) {
  return query([event] { return event_wait(event); }, vendor, event);
}

// The event marks what was on the stream at the call. Work that other threads launch meanwhile may
// come before it or after it.
template <Api api, class Function, class... Arguments>
cudaError_t record_event(cudaEvent_t event, cudaStream_t stream, unsigned flags, const void* frame,
                         Function* vendor, Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(arguments...);
  const Inside inside(thread);
  note_call<api>();
  const std::uint32_t index = stream_index(stream);
  std::uint64_t position = index == record::kNone ? 0 : enqueued(index);
  const ImplicitOrder order = implicit_order_possible() ? implicit_order(stream) : ImplicitOrder();
  const PlacesWork places(thread, order.needed ? order.stream : record::kNone);
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
  if (error != cudaSuccess || index == record::kNone || captured) {
    forget_mark(event);
    if (captured && (flags & cudaEventRecordExternal) != 0) never_mark(event);
  } else {
    set_mark(event, {.stream = index, .position = position});
  }
  return error;
}

template <Api api, class Function, class... Arguments>
cudaError_t launch_host_function(cudaStream_t stream, const void* frame, Function* vendor,
                                 Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(arguments...);
  if (is_captured(stream)) {
    note_captured_host_function(stream);
    return vendor(arguments...);
  }
  record::OperationEntry entry;
  entry.call = record::Call::host_function;
  entry.stream = stream_index(stream);
  return forward_operation<api>(thread, entry, frame, vendor, arguments...);
}

// A kernel launch with attributes, which may record events.
template <class Function, class... Arguments>
cudaError_t launch_with(std::span<const cudaLaunchAttribute> attributes, cudaStream_t stream,
                        const void* frame, Function* vendor, Arguments... arguments) {
  const cudaError_t error = launch_kernel(stream, frame, vendor, arguments...);
  if (!attributes.empty() && error == cudaSuccess && records(this_thread())) {
    forget_events_of(attributes);
  }
  return error;
}

template <Api api, class Function, class... Arguments>
cudaError_t make_stream(Function* vendor, unsigned int flags, cudaStream_t* stream,
                        Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  const cudaError_t error = vendor(stream, arguments...);
  if (error == cudaSuccess && records(this_thread())) {
    note_call<api>();
    stream_created(*stream, flags);
  }
  return error;
}

// Noted before the call, because the handle may be reused at once; as for events.
inline cudaError_t destroy(cudaStream_t stream, cudaError_t (*vendor)(cudaStream_t)) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  if (stream != nullptr && records(this_thread())) stream_destroyed(stream);
  return vendor(stream);
}
inline cudaError_t destroy(cudaEvent_t event, cudaError_t (*vendor)(cudaEvent_t)) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  if (records(this_thread())) event_destroyed(event);
  return vendor(event);
}

}  // namespace gridlock::recorder
