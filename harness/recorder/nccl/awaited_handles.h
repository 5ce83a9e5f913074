// Handles that NCCL writes later: a split or shrink of a non-blocking communicator returns at once,
// and NCCL has written the child's handle when the parent's async error says that it is done.
#pragma once

#include <nccl.h>

#include <cstdint>

#include "harness/recorder/core/communicators/communicators.h"

namespace gridlock::recorder {

// What NCCL says of a communicator; ncclInProgress if nobody can ask.
ncclResult_t error_of(ncclComm_t handle);
// Like opened(), for a communicator whose handle is, or will be, at `where`.
void opened_at(std::uint32_t communicator, ncclComm_t* where, ncclResult_t result);
// The program uses a handle that is not known: it has found it where NCCL has written it. Returns
// the communicator; kNone if there is none.
std::uint32_t find_handle(ncclComm_t handle);
inline std::uint32_t index_of(ncclComm_t handle) {
  const std::uint32_t known = communicator_index(handle);
  return known != record::kNone || handle == nullptr ? known : find_handle(handle);
}
// The program uses this variable for another child from now on.
void forget_place(ncclComm_t* where);
// The parent's async error is `result`: NCCL has written the handles.
void find_handles(std::uint32_t parent, ncclResult_t result);
// The communicator is closed: if it is a parent, nothing more is written.
void forget_handles(std::uint32_t communicator);

}  // namespace gridlock::recorder
