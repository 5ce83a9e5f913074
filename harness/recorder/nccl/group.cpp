// Groups.
#include "harness/recorder/nccl/group.h"

#include "harness/record/words.h"
#include "harness/recorder/core/communicators.h"
#include "harness/recorder/core/progress.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams.h"
#include "harness/recorder/nccl/awaited_handles.h"
#include "harness/recorder/nccl/communicate.h"

namespace gridlock::recorder {

Group& this_group() {
  thread_local constinit Group group;
  return group;
}

std::uint64_t Group::add(record::OperationEntry& entry, bool captured) {
  entry.leader = leader_on(entry.communicator);
  std::uint64_t index = 0;
  {
    const Turn turn;
    const bool on_stream = entry.stream != record::kNone && !captured;
    if (on_stream) entry.position = position_on(turn, entry.stream);
    index = writer().add(entry, entry.position != 0);
  }
  note_operation(index, entry.communicator);
  return index;
}

void Group::forget(std::uint64_t index) {
  if (leaders_ > 0 && led_[leaders_ - 1].operation == index) --leaders_;
}

std::uint64_t Group::position_on(const Turn& turn, std::uint32_t stream) {
  for (std::uint32_t i = 0; i < streams_; ++i) {
    if (on_[i].stream == stream) return on_[i].position;
  }
  if (streams_ == kGroupStreams) {
    __atomic_fetch_add(&writer().box().header.lost_streams, 1, __ATOMIC_RELAXED);
    return 0;
  }
  on_[streams_] = {.stream = stream, .position = next_position(turn, stream)};
  return on_[streams_++].position;
}

void Group::note_operation(std::uint64_t index, std::uint32_t communicator) {
  if (operations_++ == 0) {
    first_operation_ = index;
    communicator_ = communicator;
  }
  if (leader_on(communicator) != 0) return;
  if (leaders_ == kGroupCommunicators) {
    __atomic_fetch_add(&writer().box().header.lost_communicators, 1, __ATOMIC_RELAXED);
    return;
  }
  led_[leaders_++] = {.communicator = communicator, .operation = index};
}

std::uint64_t Group::leader_on(std::uint32_t communicator) const {
  for (std::uint32_t i = 0; i < leaders_; ++i) {
    if (led_[i].communicator == communicator) return led_[i].operation + 1;
  }
  return 0;
}

void Group::note_wait(const Wait& wait) {
  if (wait_.waits == record::Waits::nothing) wait_ = wait;
}

void Group::note_opening(std::uint32_t communicator, ncclComm_t* where, bool named) {
  if (communicator == record::kNone) return;
  if (openings_ == kOpenings) {
    __atomic_fetch_add(&writer().box().header.lost_communicators, 1, __ATOMIC_RELAXED);
    return;
  }
  opened_[openings_++] = {.communicator = communicator, .named = named, .where = where};
}

// Another thread took the position that was foreseen: the operations in the ring get a new one.
void Group::move(const OnStream& from, std::uint64_t to) const {
  const std::uint64_t head = record::load_relaxed(writer().box().header.operations);
  for (std::uint64_t index = first_operation_; index < head; ++index) {
    const record::OperationEntry entry = writer().operation(index);
    if (entry.sequence == 2 * index + 2 && entry.stream == from.stream &&
        entry.thread == this_thread().index && entry.position == from.position) {
      writer().change_position(index, to);
    }
  }
}

// From the newest back, because slots are given back in that order.
void Group::take_back_all(std::uint8_t result) const {
  if (operations_ == 0) return;
  const std::uint64_t head = record::load_relaxed(writer().box().header.operations);
  for (std::uint64_t index = head; index-- > first_operation_;) {
    const record::OperationEntry entry = writer().operation(index);
    if (entry.sequence == 2 * index + 2 && entry.thread == this_thread().index &&
        record::is_communication(entry.call) && entry.result == 0) {
      take_back(index, result);
    }
  }
}

void Group::launch() {
  for (std::uint32_t i = 0; i < streams_; ++i) {
    OnStream& on = on_[i];
    {
      const Turn turn;
      const std::uint64_t position = hand_out(turn, on.stream);
      if (position != on.position) {
        move(on, position);
        if (wait_.stream == on.stream) wait_.position = position;
        on.position = position;
      }
      note_order(on.stream);
      show_enqueued(turn, on.stream, on.position);
    }
    mark_started(on.stream, on.position);
  }
}

void Group::finish(ncclResult_t result) {
  if (is_error(result)) take_back_all(static_cast<std::uint8_t>(result));
  close_results(this_thread());
  for (std::uint32_t i = 0; i < streams_; ++i) {
    if (result == ncclInProgress) {
      complete_later(on_[i].stream, on_[i].position, communicator_);
    } else {
      mark_completed(on_[i].stream, on_[i].position);
    }
  }
  for (std::uint32_t i = 0; i < openings_; ++i) {
    const Opened& opening = opened_[i];
    // A handle that was there at the call may have left its variable since.
    if (opening.named) {
      opened(opening.communicator, nullptr, result);
    } else {
      opened_at(opening.communicator, opening.where, result);
    }
  }
  streams_ = 0;
  openings_ = 0;
  leaders_ = 0;
  operations_ = 0;
  communicator_ = record::kNone;
  wait_ = {};
}

void Group::finish_simulated() {
  take_back_all(record::kSimulated);
  finish(ncclSuccess);
}

}  // namespace gridlock::recorder
