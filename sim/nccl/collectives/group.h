// Groups, and the two things that they collect: jobs of the host, and calls for the streams.
#pragma once

#include <nccl.h>

#include <memory>

#include "sim/nccl/collectives/unit.h"
#include "sim/nccl/members/job.h"

namespace sim::nccl {

// Runs `job`. Inside a group it runs at the group's end. Otherwise it runs here, or on a thread of
// its own if the owner is nonblocking and the caller does not wait.
//   Returns  the job's result; ncclInProgress if it continues; ncclSuccess inside a group
//   Blocks   as the job does
ncclResult_t submit(Job job);

// Enqueues `call` on `stream`, or keeps it until the end of the group.
//   Returns  ncclInProgress if the communicator is nonblocking; ncclSuccess inside a group
//   Blocks   no, except with GRIDLOCK_SIM_LAZY_CONNECT=1
ncclResult_t submit(const std::shared_ptr<Communicator>& communicator, const Call& call,
                    cudaStream_t stream);

// Makes `result` the open group's result, if there is one and it is an error. Returns `result`.
ncclResult_t note(ncclResult_t result);

void begin_group();

// Ends the group. The outermost one runs what was collected, or drops it.
//   Errors   the first error of the group's calls; then none of them runs
//   Blocks   until its jobs are done
ncclResult_t end_group(bool drop);

}  // namespace sim::nccl
