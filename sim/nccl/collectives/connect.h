// Lazy connect: with GRIDLOCK_SIM_LAZY_CONNECT=1, the first collective of a communicator and the
// first message between two ranks block the host until the peers reach the same point.
#pragma once

#include <nccl.h>

#include <vector>

#include "sim/nccl/collectives/unit.h"

namespace sim::nccl {

bool lazy_connect();

// Tells the peers that this rank has reached `calls`.
void announce(Communicator& communicator, const std::vector<Call>& calls);

// Waits until the peers of `calls` have announced theirs.
//   Errors   ncclRemoteError if a member is gone, ncclInternalError after an abort
//   Collective, Blocks: the host, at the first use only
ncclResult_t meet(Communicator& communicator, const std::vector<Call>& calls);

}  // namespace sim::nccl
