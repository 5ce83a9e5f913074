// What calls that make and close communicators share: they wait for all members.
#pragma once

#include <nccl.h>

#include <cstdint>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/thread.h"
#include "harness/recorder/nccl/group.h"

namespace gridlock::recorder {

// Forwards a call that waits for the members of `communicator`. In a group, notes the wait for the
// group's end.
template <class Forward>
ncclResult_t wait_for_members(ThreadState& thread, record::Call call, std::uint32_t communicator,
                              bool may_wait, const void* frame, Forward forward) {
  Wait wait{.call = call,
            .waits = record::Waits::communicator_members,
            .device = communicator_device(communicator),
            .communicator = communicator};
  register_thread(thread);
  may_wait = may_wait && communicator != record::kNone;
  if (may_wait && this_group().is_open()) {
    wait.call = record::Call::group_end;
    this_group().note_wait(wait);
    may_wait = false;
  }
  if (!may_wait) return forward();
  enter_wait(thread, wait, frame);
  const ncclResult_t result = forward();
  leave_wait(thread);
  return result;
}

}  // namespace gridlock::recorder
