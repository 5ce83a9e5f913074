// Records what a stream will do.
#include "harness/recorder/core/operations.h"

#include "harness/record/words.h"
#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams/captures.h"
#include "harness/recorder/core/streams/progress.h"
#include "harness/recorder/core/streams/streams.h"

namespace gridlock::recorder {
namespace {

// For operations that are launched at their call. REQUIRES: the turn
void note_launch(record::OperationEntry& entry) {
  entry.launched = writer().next_launch();
  entry.called = entry.launched - 1;
}

}  // namespace

void describe_caller(record::OperationEntry& entry, ThreadState& thread, const void* frame) {
  register_thread(thread);
  entry.thread = thread.index;
  entry.time_ns = now_ns();
  thread.last_operation_ns = entry.time_ns;
  entry.label = thread.labels.current();
  walk_callers(frame, thread.stack, entry.callers);
}

std::uint64_t add_alone(record::OperationEntry& entry) {
  const Turn turn;
  note_launch(entry);
  return writer().add(entry, false);
}

Placed announce(record::OperationEntry& entry, ThreadState& thread, const void* frame) {
  const bool captured = entry.stream != record::kNone && is_captured(stream_handle(entry.stream));
  return announce(entry, thread, frame, captured);
}

Placed announce(record::OperationEntry& entry, ThreadState& thread, const void* frame,
                bool captured) {
  describe_caller(entry, thread, frame);
  Placed placed{.stream = entry.stream};
  if (captured) {
    entry.graph = record::kIntoGraph;
    placed.stream = record::kNone;
  }
  {
    const Turn turn;
    placed.index = writer().add(entry, placed.stream != record::kNone);
    if (placed.stream != record::kNone) foresee(turn, placed.stream);
  }
  placed.called = entry.called;
  if (placed.stream != record::kNone) mark_started(placed.stream);
  return placed;
}

std::uint64_t launch(const Placed& placed, std::uint64_t slot) {
  if (!has_begun_recording()) return 0;  // in a child that was forked during the call
  std::uint64_t position = 0;
  {
    const Turn turn;
    if (placed.stream != record::kNone) position = hand_out(turn, placed.stream);
    writer().launch(placed.index, {.called = placed.called,
                                   .slot = slot,
                                   .position = position,
                                   .launched = writer().next_launch()});
    if (position != 0) {
      note_order(placed.stream);
      show_enqueued(turn, placed.stream, position);
    }
  }
  if (position != 0) mark_completed(placed.stream);
  return position;
}

void drop(const Placed& placed, std::uint8_t result) {
  if (!has_begun_recording()) return;
  writer().set_result(placed.index, result == 0 ? record::kDropped : result);
}

Placed place_in_mpi(record::OperationEntry& entry, ThreadState& thread, const void* frame) {
  describe_caller(entry, thread, frame);
  if (entry.stream == record::kNone) return {.index = add_alone(entry)};
  const Turn turn;
  note_launch(entry);
  entry.position = hand_out(turn, entry.stream);
  const std::uint64_t index = writer().add(entry, true);
  show_enqueued(turn, entry.stream, entry.position);
  record::store_release(writer().box().progress[entry.stream].started,
                        static_cast<std::uint32_t>(entry.position));
  return {.stream = entry.stream, .position = entry.position, .index = index};
}

void finish_in_mpi(const Placed& placed) {
  if (placed.position == 0) return;
  record::store_release(writer().box().progress[placed.stream].completed,
                        static_cast<std::uint32_t>(placed.position));
}

}  // namespace gridlock::recorder
