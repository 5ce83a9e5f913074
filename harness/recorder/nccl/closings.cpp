// Calls that close communicators, and wait for all members.
#include <nccl.h>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/nccl/awaited_handles.h"
#include "harness/recorder/nccl/communicate.h"
#include "harness/recorder/nccl/members.h"
#include "harness/recorder/nccl/names.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::CommunicatorState;

namespace {

// A call that ends the use of a communicator.
template <class Function>
ncclResult_t close(ncclComm_t handle, Call call, CommunicatorState after, const void* frame,
                   Function* function) {
  ThreadState& thread = this_thread();
  if (handle == nullptr) return function(handle);
  if (!records(thread)) {
    // A signal's handler may abort a communicator inside a recorded wait, and so end the wait.
    if (call == Call::comm_abort && recording()) change_state(communicator_index(handle), after);
    return function(handle);
  }
  const Inside inside(thread);
  const std::uint32_t communicator = index_of(handle);
  // An abort may free a thread that holds CUDA's locks, so make no CUDA call before it.
  if (call != Call::comm_abort) launch_deferred(communicator);
  const Closing closing{.handle = handle,
                        .frees = call != Call::comm_finalize,
                        .before = standing(communicator),
                        .after = after};
  note_call(communicator, call);
  if (call == Call::comm_abort) give_up(communicator);
  const bool is_later = call != Call::comm_abort && this_group().is_open();
  // A finalize or destroy during init is refused, and the other members notice nothing.
  const bool is_early =
      call != Call::comm_abort && closing.before.state == CommunicatorState::initialising;
  if (!is_later && !is_early) change_state(communicator, CommunicatorState::closing);
  const bool was_lost = closing.frees && !is_later && forget_lost(handle);
  // A new communicator may get this handle as soon as this one is freed. Only a blocking one is
  // sure to be.
  const bool is_sure = call == Call::comm_abort || (!is_later && is_blocking(communicator));
  if (closing.frees && is_sure) {
    forget_communicator(handle);
    forget_handles(communicator);
  }
  // Destroy and abort wait even on a non-blocking communicator.
  //   Source  NCCL 2.28, src/init.cc, destroyFlag
  const bool waits = call != Call::comm_finalize || is_blocking(communicator);
  const ncclResult_t result =
      wait_for_members(thread, call, communicator, waits, frame, [&] { return function(handle); });
  if (was_lost) is_gone_with_what_was_lost();
  if (call == Call::comm_abort) launch_deferred(communicator);
  const bool is_certain = !closing.frees || is_later || (!is_sure && is_refused(result));
  if (is_error(result) && is_certain) {
    take_back_call(communicator, closing.before);
    this_group().note_refusal();
  } else if (is_later) {
    this_group().note_closing(communicator, closing);
  } else {
    closed(communicator, closing);
  }
  return result;
}

}  // namespace

GRIDLOCK_NCCL_NAMES(ncclCommFinalize, (ncclComm_t communicator), (communicator),
                    close(communicator, Call::comm_finalize, CommunicatorState::closing, frame,
                          vendor));

GRIDLOCK_NCCL_NAMES(ncclCommDestroy, (ncclComm_t communicator), (communicator),
                    close(communicator, Call::comm_destroy, CommunicatorState::closed, frame,
                          vendor));

GRIDLOCK_NCCL_NAMES(ncclCommAbort, (ncclComm_t communicator), (communicator),
                    close(communicator, Call::comm_abort, CommunicatorState::aborted, frame,
                          vendor));
