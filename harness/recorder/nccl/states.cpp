// Calls that change or report a communicator's state without waiting.
#include <nccl.h>

#include "harness/recorder/core/communicators.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/progress.h"
#include "harness/recorder/nccl/awaited_handles.h"
#include "harness/recorder/nccl/communicate.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::CommunicatorState;

GRIDLOCK_INTERPOSE ncclResult_t ncclCommRevoke(ncclComm_t communicator, int flags) {
  static constinit Nccl<decltype(pncclCommRevoke)> vendor("pncclCommRevoke");
  if (vendor.get() == nullptr) return ncclInvalidUsage;
  const ncclResult_t result = vendor.get()(communicator, flags);
  if (result == ncclSuccess && recording()) {  // also by a signal's handler in a recorded wait
    change_state(communicator_index(communicator), CommunicatorState::aborted);
  }
  return result;
}

// Not a wait, but the moment at which a non-blocking communicator reports that it is ready.
GRIDLOCK_INTERPOSE ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator,
                                                      ncclResult_t* error) {
  static constinit Nccl<decltype(pncclCommGetAsyncError)> vendor("pncclCommGetAsyncError");
  if (vendor.get() == nullptr) return ncclInvalidUsage;
  ThreadState& thread = this_thread();
  const ncclResult_t result = vendor.get()(communicator, error);
  if (communicator == nullptr || error == nullptr || result != ncclSuccess ||
      *error == ncclInProgress || !records(thread)) {
    return result;
  }
  const Inside inside(thread);
  const std::uint32_t index = communicator_index(communicator);
  settled(index, communicator, *error);
  find_handles(index, *error);
  launch_deferred(index);
  return result;
}
