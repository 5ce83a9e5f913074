// The record of one collective or message, alone or in a group.
#include "harness/recorder/communicate.h"

#include "harness/recorder/communicators.h"
#include "harness/recorder/progress.h"
#include "harness/recorder/streams.h"

namespace gridlock::recorder {

using record::kNone;

Begun begin(const Communication& what, ThreadState& thread) {
  register_thread(thread);
  open_results(thread);
  Begun begun;
  begun.communicator = communicator_index(what.communicator);
  begun.unseen = begun.communicator == kNone && what.communicator != nullptr;
  if (begun.unseen) {
    __atomic_fetch_add(&writer().box().header.lost_communicators, 1, __ATOMIC_RELAXED);
  }
  const std::uint32_t stream = stream_index(what.stream, communicator_device(begun.communicator));
  const Slot slot = next_slot(begun.communicator, what.call, what.peer, what.count);
  record::OperationEntry entry;
  entry.call = what.call;
  entry.datatype = static_cast<std::uint8_t>(what.datatype);
  entry.reduction = static_cast<std::uint8_t>(what.reduction);
  entry.peer = what.peer;
  entry.communicator = begun.communicator;
  entry.stream = stream;
  entry.slot = slot.number;
  entry.count = what.count;

  Wait wait{.call = what.call,
            .waits = record::Waits::operation,
            .device = communicator_device(begun.communicator),
            .stream = stream,
            .communicator = begun.communicator};
  begun.may_connect = slot.may_connect;
  Group& group = this_group();
  if (group.is_open()) {
    describe_caller(entry, thread, what.frame);
    begun.placed.index = group.add(entry, is_captured(what.stream));
    wait.call = record::Call::group_end;
    wait.position = entry.position;
    if (slot.may_connect && entry.position != 0 && is_blocking(begun.communicator)) {
      group.note_wait(wait);
    }
  } else {
    begun.placed = place(entry, thread, what.frame);
    wait.position = begun.placed.position;
    begun.waiting = slot.may_connect && wait.position != 0 && is_blocking(begun.communicator);
    if (begun.waiting) enter_wait(thread, wait, what.frame);
  }
  return begun;
}

void end(const Begun& begun, ThreadState& thread, ncclResult_t result) {
  if (begun.waiting) leave_wait(thread);
  Group& group = this_group();
  if (is_error(result)) [[unlikely]] {
    take_back(begun.placed.index, static_cast<std::uint8_t>(result), begun.may_connect);
    group.forget(begun.placed.index);
    if (begun.unseen) {
      __atomic_fetch_sub(&writer().box().header.lost_communicators, 1, __ATOMIC_RELAXED);
    }
  }
  if (!group.is_open()) close_results(thread);
  if (begun.placed.position == 0) return;
  if (result == ncclInProgress) {
    complete_later(begun.placed.stream, begun.placed.position, begun.communicator);
  } else {
    finish(begun.placed);
  }
}

void take_back(std::uint64_t index, std::uint8_t result, bool may_connect) {
  const record::OperationEntry entry = writer().operation(index);
  if (entry.sequence != 2 * index + 2) return;  // no longer in the ring
  writer().set_result(index, result);
  give_back(entry, result, may_connect);
}

}  // namespace gridlock::recorder
