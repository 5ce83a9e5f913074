// Operations of the host that wait for other ranks: init, split, destroy, ...
#pragma once

#include <nccl.h>

#include <functional>
#include <memory>
#include <vector>

#include "sim/nccl/members/communicator.h"

namespace sim::nccl {

// One such operation, on behalf of `owner`. The owner's asynchronous state shows when it has ended.
struct Job {
  std::shared_ptr<Communicator> owner = nullptr;
  std::function<ncclResult_t()> work = nullptr;
  bool caller_waits = false;  // even if the owner is nonblocking
  // Called by the program's thread, in the order of its calls, before any of the work.
  std::function<void()> prepare = nullptr;
};

// Runs all jobs at once, because each may need the others' ranks. Jobs that the caller waits for
// end before this returns; the others run on their own threads. A communicator is in progress until
// all its jobs are done.
//   Returns  the first error of those that the caller waits for; ncclInProgress if others continue
//   Blocks   as the jobs do
ncclResult_t run_jobs(const std::vector<Job>& jobs);

// Drops the jobs of a group that failed with `error`. None of them runs, so their communicators are
// never made.
void give_up(const std::vector<Job>& jobs, ncclResult_t error);

}  // namespace sim::nccl
