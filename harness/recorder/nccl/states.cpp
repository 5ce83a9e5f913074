// Calls that change or report a communicator's state without waiting.
#include <nccl.h>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/streams/progress.h"
#include "harness/recorder/nccl/awaited_handles.h"
#include "harness/recorder/nccl/communicate.h"
#include "harness/recorder/nccl/names.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::CommunicatorState;
using gridlock::record::Waits;

namespace {

ncclResult_t revoke(ncclComm_t communicator, int flags, decltype(pncclCommRevoke)* vendor) {
  const ncclResult_t result = vendor(communicator, flags);
  if (!is_error(result) && recording()) {  // also by a signal's handler in a recorded wait
    change_state(communicator_index(communicator), CommunicatorState::aborted);
  }
  return result;
}

ncclResult_t ask(ncclComm_t communicator, ncclResult_t* error,
                 decltype(pncclCommGetAsyncError)* vendor) {
  ThreadState& thread = this_thread();
  const std::uint64_t noted = deferrals_noted();
  const ncclResult_t result = vendor(communicator, error);
  if (communicator == nullptr || error == nullptr || result != ncclSuccess || !records(thread)) {
    return result;
  }
  const std::uint32_t index = index_of(communicator);
  const Wait what{.waits = Waits::communicator_members, .communicator = index};
  if (*error == ncclInProgress) {
    note_asked(thread, what);
    return result;
  }
  note_answered(thread, what);
  const Inside inside(thread);
  settled(index, communicator, *error);
  find_handles(index, *error);
  launch_deferred(index, noted);
  return result;
}

}  // namespace

GRIDLOCK_NCCL_NAMES(ncclCommRevoke, (ncclComm_t communicator, int flags), (communicator, flags),
                    revoke(communicator, flags, vendor));

// Not a wait, but the moment at which a non-blocking communicator reports that it is ready.
GRIDLOCK_NCCL_NAMES(ncclCommGetAsyncError, (ncclComm_t communicator, ncclResult_t* error),
                    (communicator, error), ask(communicator, error, vendor));
