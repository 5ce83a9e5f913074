// Groups.
#include "harness/recorder/group.h"

#include "harness/recorder/communicators.h"
#include "harness/recorder/progress.h"
#include "harness/recorder/recorder.h"
#include "harness/recorder/streams.h"

namespace gridlock::recorder {

Group& this_group() {
  thread_local constinit Group group;
  return group;
}

std::uint64_t Group::position_on(std::uint32_t stream) {
  for (std::uint32_t i = 0; i < streams_; ++i) {
    if (on_[i].stream == stream) return on_[i].position;
  }
  if (streams_ == kGroupStreams) {
    __atomic_fetch_add(&writer().box().header.lost_streams, 1, __ATOMIC_RELAXED);
    return 0;
  }
  on_[streams_] = {.stream = stream, .position = next_position(stream)};
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
  const std::uint64_t head = writer().box().header.operations;
  for (std::uint64_t index = first_operation_; index < head; ++index) {
    const record::OperationEntry entry = writer().operation(index);
    if (entry.sequence == 2 * index + 2 && entry.stream == from.stream &&
        entry.thread == this_thread().index && entry.position == from.position) {
      writer().change_position(index, to);
    }
  }
}

void Group::launch() {
  for (std::uint32_t i = 0; i < streams_; ++i) {
    OnStream& on = on_[i];
    const std::uint64_t position = hand_out(on.stream, on.position);
    if (position != on.position) {
      move(on, position);
      if (wait_.stream == on.stream) wait_.position = position;
      on.position = position;
    }
    note_order(on.stream);
    show_enqueued(on.stream, on.position);
    mark_started(on.stream, on.position);
  }
}

void Group::finish(ncclResult_t result) {
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
    const bool succeeded = result == ncclSuccess || result == ncclInProgress;
    ncclComm_t handle = succeeded && !opening.named ? *opening.where : nullptr;
    opened(opening.communicator, handle, result);
  }
  streams_ = 0;
  openings_ = 0;
  leaders_ = 0;
  operations_ = 0;
  communicator_ = record::kNone;
  wait_ = {};
}

}  // namespace gridlock::recorder
