// How ranks find each other and become a communicator.
#pragma once

#include <nccl.h>

#include <memory>

#include "sim/nccl/members/communicator.h"

namespace sim::nccl {

// Joins the ranks that meet at `id`: maps the segment, registers this rank, waits for the others.
//   Errors   ncclSystemError if the segment's maker is gone or on another machine,
//            ncclRemoteError if a member has died, ncclInvalidUsage if two members share a device,
//            ncclInternalError after an abort
//   Collective, Blocks: until all have come; for ever if ranks disagree about their numbers
ncclResult_t join(Communicator& communicator, const SegmentId& id);

// What ncclGetUniqueId gives.
//   Errors   ncclInvalidArgument if NCCL_COMM_ID is not an address
ncclResult_t make_unique_id(ncclUniqueId* id);

// The two contents of an ncclUniqueId: a segment, or the address of NCCL_COMM_ID.
ncclUniqueId pack(const SegmentId& id);

// The segment that `id` leads to. With an address, rank 0 listens there and tells the others.
//   Blocks   until rank 0 listens
ncclResult_t resolve(const ncclUniqueId& id, Communicator& communicator, SegmentId* segment);

}  // namespace sim::nccl
