// A collective of one rank is a copy, perhaps with a factor. NCCL enqueues it in the call
// (ncclLaunchOneRank), in a group too, and then has nothing to do with it: only its stream orders
// it, and neither an abort nor the communicator's end concerns it.
#pragma once

#include <nccl.h>

#include "sim/nccl/collectives/unit.h"

namespace sim::nccl {

inline bool is_copy(const Communicator& communicator, const Call& call) {
  return communicator.ranks() == 1 && !call.message;
}

// Enqueues it, unless the data is already there. Stream 0 is that of the current device.
//   Errors   ncclUnhandledCudaError if the stream does not take it
//   Blocks   no
ncclResult_t enqueue_copy(const Call& call, cudaStream_t stream);

}  // namespace sim::nccl
