// Handles that NCCL writes later: a split or shrink of a non-blocking communicator returns at once,
// and NCCL has written the child's handle when the parent's async error says that it is done.
#pragma once

#include <nccl.h>

#include <cstdint>

namespace gridlock::recorder {

// Like opened(), for a communicator whose handle is, or will be, at `where`.
void opened_at(std::uint32_t communicator, ncclComm_t* where, ncclResult_t result);
// The parent's async error is `result`: NCCL has written the handles.
void find_handles(std::uint32_t parent, ncclResult_t result);
// The parent is closed: nothing more is written.
void forget_handles(std::uint32_t parent);

}  // namespace gridlock::recorder
