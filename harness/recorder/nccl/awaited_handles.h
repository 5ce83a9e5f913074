// Handles that NCCL hands out later: a split or shrink of a communicator that does not block
// returns at once, and puts the child's handle in its place when the parent's async error says that
// it is done.
#pragma once

#include <nccl.h>

#include <cstdint>

namespace gridlock::recorder {

// As opened(), of a communicator whose handle is at `where`, or will be.
void opened_at(std::uint32_t communicator, ncclComm_t* where, ncclResult_t result);
// The parent's async error is `result`: NCCL has written what it had to.
void find_handles(std::uint32_t parent, ncclResult_t result);
// The parent is closed: nothing more is written.
void forget_handles(std::uint32_t parent);

}  // namespace gridlock::recorder
