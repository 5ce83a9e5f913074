// Records one collective or message, alone or in a group.
#include "harness/recorder/nccl/communicate.h"

#include "harness/recorder/core/aside.h"
#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/streams/captures.h"
#include "harness/recorder/core/streams/graphs.h"
#include "harness/recorder/core/streams/placing.h"
#include "harness/recorder/core/streams/progress.h"
#include "harness/recorder/core/streams/streams.h"
#include "harness/recorder/nccl/awaited_handles.h"

namespace gridlock::recorder {

using record::kNone;

namespace {

// Shows that the host itself may wait for the operation's peers, in the call or at the end of its
// group.
[[gnu::noinline, gnu::cold]] void show_connecting(const record::OperationEntry& entry,
                                                  ThreadState& thread, const void* frame) {
  Wait wait{.call = entry.call,
            .waits = record::Waits::operation,
            .device = communicator_device(entry.communicator),
            .stream = entry.stream,
            .communicator = entry.communicator};
  if (!this_group().is_open()) return enter_wait(thread, wait, frame);
  wait.call = record::Call::group_end;
  this_group().note_wait(wait);
}

// Launches a single call later, as a batch.
[[gnu::noinline, gnu::cold]] void launch_alone_later(const Begun& begun,
                                                     const ThreadState& thread) {
  Batch batch;
  batch.thread = thread.index;
  batch.communicator = begun.communicator;
  batch.first = begun.placed.index;
  batch.end = begun.placed.index + 1;
  batch.called = begun.placed.called;
  if (begun.placed.stream != kNone) batch.streams.set(begun.placed.stream);
  launch_later(batch);
}

struct Capture {
  bool captured = false;
  std::uint64_t into = 0;  // 0: CUDA cannot say
};
// A handle of a default stream means the one of the communicator's device.
[[gnu::noinline, gnu::cold]] Capture capture_at(cudaStream_t stream, std::uint32_t device) {
  const OwnErrors errors;
  const OnDevice there(device);
  return {.captured = is_captured(stream), .into = capture_of(stream)};
}

// Whether NCCL makes it a copy, which waits for nobody: it is enqueued in the call, also in a
// group, and a handle of a default stream means the one of the current device.
//   Source  NCCL 2.28, src/enqueue.cc (taskAppend: nRanks == 1)
bool is_copy(const Communication& what, std::uint32_t communicator) {
  return communicator != kNone && record::is_collective(what.call) &&
         membership(communicator).size == 1;
}

// A copy to where it is, unless a factor goes with it.
//   Source  NCCL 2.28, src/device/onerank.cu (ncclLaunchOneRank), src/enqueue.cc (hostToDevRedOp)
[[gnu::noinline, gnu::cold]] bool copies_nothing(const Communication& what) {
  const bool is_average = what.reduction == ncclAvg;
  const bool is_integer = what.datatype <= ncclUint64;
  const bool is_scaled = what.reduction >= ncclNumOps || (is_average && !is_integer);
  return what.in_place && !is_scaled;
}

}  // namespace

// What is begun lies in registers until the end: a word that is read right after its parts were
// written has to wait for them.
Begun begin(const Communication& what, ThreadState& thread) {
  register_thread(thread);
  std::uint32_t communicator = communicator_index(what.communicator);
  ncclComm_t lost = nullptr;
  if (communicator == kNone && what.communicator != nullptr) [[unlikely]] {
    communicator = find_handle(what.communicator);
    // Nothing is known of a child that is used before it is ready.
    if (communicator != kNone && membership(communicator).size == 0) mark_uncertain(communicator);
    if (communicator == kNone && note_lost(what.communicator)) lost = what.communicator;
  }
  const bool copy = is_copy(what, communicator);
  const std::uint32_t device = copy ? current_device() : communicator_device(communicator);
  const bool is_nothing = copy && copies_nothing(what);
  const std::uint32_t stream = is_nothing ? kNone : stream_index(what.stream, device);
  const Slot slot = announce_slot(communicator, what.call, what.peer, what.count);
  record::OperationEntry entry;
  entry.call = what.call;
  entry.datatype = static_cast<std::uint8_t>(what.datatype);
  const bool is_own = what.reduction < 0 || what.reduction >= ncclNumOps;
  entry.reduction = is_own ? record::kOwnReduction : static_cast<std::uint8_t>(what.reduction);
  entry.peer = what.peer;
  entry.communicator = communicator;
  entry.stream = stream;
  entry.slot = slot.number;
  entry.count = what.count;

  const bool in_group = !copy && this_group().is_open();
  Capture capture;
  if (any_capture() && !is_nothing) [[unlikely]]
    capture = capture_at(what.stream, device);
  Placed placed;
  if (in_group) {
    describe_caller(entry, thread, what.frame);
    placed.index = this_group().add(entry, capture.captured);
    if (record::is_message(what.call) && what.peer == membership(communicator).rank) [[unlikely]] {
      this_group().note_own_message({.index = placed.index,
                                     .communicator = communicator,
                                     .call = what.call,
                                     .buffer = what.buffer});
    }
  } else {
    placed = announce(entry, thread, what.frame, capture.captured);
    PlacesWork::on(thread, placed.stream);
  }
  if (capture.captured) [[unlikely]]
    note_capture_of(placed.index, capture.into);
  bool waiting = false;
  bool launching = false;
  const bool blocks = stream != kNone && !capture.captured && is_blocking(communicator);
  if (slot.may_connect && blocks) [[unlikely]] {
    waiting = !in_group;
    show_connecting(entry, thread, what.frame);
  } else if (blocks && !in_group) {
    launching = true;
    enter_launch(thread, entry.call, device, entry.time_ns);
  }
  return {.placed = placed,
          .communicator = communicator,
          .call = what.call,
          .count = slot.count,
          .waiting = waiting,
          .launching = launching,
          .may_connect = slot.may_connect,
          .in_group = in_group,
          .captured = capture.captured,
          .lost = lost};
}

void end(const Begun& begun, ThreadState& thread, ncclResult_t result) {
  const PlacesWork places(thread);  // since begin()
  if (is_error(result)) [[unlikely]] {
    const auto code = static_cast<std::uint8_t>(result);
    const bool is_lost = !take_back(begun.placed.index, code, begun.may_connect);
    if (is_lost && begun.count != nullptr) begun.count->fetch_sub(kAnnounced);
    begun.in_group ? this_group().forget(begun) : this_group().note_refusal();
    if (begun.lost != nullptr && forget_lost(begun.lost)) is_gone_with_what_was_lost();
  } else if (!begun.in_group) {
    launch_deferred(begun.communicator);  // NCCL accepts another call only when it is ready
    if (begun.captured) [[unlikely]] {
      const bool is_lost = writer().find(begun.placed.index) == nullptr;
      if (is_lost) mark_uncertain(begun.communicator);
      if (is_lost || go_into_graph(begun.placed.index, begun.placed.index)) return;
    }
    if (result == ncclInProgress) [[unlikely]] {
      launch_alone_later(begun, thread);
    } else {
      launch(begun.placed, launch_slot(begun.communicator, begun.call, begun.count));
    }
  }
  if (begun.waiting) [[unlikely]]
    leave_wait(thread);
  if (begun.launching) leave_launch(thread);
}

bool go_into_graph(std::uint64_t index, std::uint64_t group) {
  const record::OperationEntry entry = writer().operation(index);
  if (entry.sequence != 2 * index + 2) return true;  // no longer in the ring
  const CapturedOperation captured{.entry = entry,
                                   .communicator_id = communicator_id(entry.communicator),
                                   .group = group,
                                   .stream = stream_serial(entry.stream)};
  if (!note_captured(index, captured)) return false;
  take_back(index, record::kCaptured);
  return true;
}

bool take_back(std::uint64_t index, std::uint8_t result, bool may_connect) {
  const record::OperationEntry entry = writer().operation(index);
  if (entry.sequence != 2 * index + 2) return false;
  if (entry.graph == record::kIntoGraph) forget_capture_of(index);
  writer().set_result(index, result);
  drop_slot(entry, result, may_connect);
  return true;
}

}  // namespace gridlock::recorder
