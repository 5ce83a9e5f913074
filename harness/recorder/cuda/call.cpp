// Describes the waits and the implicit order of CUDA calls.
#include "harness/recorder/cuda/call.h"

#include "harness/recorder/cuda/events.h"

namespace gridlock::recorder {

Wait device_wait(record::Call call) {
  return {.call = call, .waits = record::Waits::device, .device = current_device()};
}

Wait stream_wait(record::Call call, cudaStream_t stream) {
  Wait wait{.call = call};
  wait.stream = stream_index(stream);
  if (wait.stream == record::kNone) return wait;
  wait.waits = is_legacy(wait.stream) ? record::Waits::legacy_stream : record::Waits::stream;
  wait.position = enqueued(wait.stream);
  wait.device = stream_device(wait.stream);
  return wait;
}

Wait event_wait(cudaEvent_t event) {
  const Mark mark = mark_of(event);
  Wait wait{.call = record::Call::event_synchronize};
  if (mark.stream == record::kNone) return wait;
  wait.waits = record::Waits::stream;
  wait.device = stream_device(mark.stream);
  wait.stream = mark.stream;
  wait.position = mark.position;
  return wait;
}

Placed announce_implicit_order(ThreadState& thread, const ImplicitOrder& order, const void* frame) {
  record::OperationEntry entry;
  entry.stream = order.stream;
  entry.call = record::Call::legacy_work;
  if (order.legacy != record::kNone) {
    entry.call = record::Call::event_wait;
    entry.event_stream = order.legacy;
    entry.event_position = order.legacy_position;
  }
  return announce(entry, thread, frame);
}

}  // namespace gridlock::recorder
