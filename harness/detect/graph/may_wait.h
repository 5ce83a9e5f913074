// Calls of which nothing outside CUDA and NCCL shows whether they wait.
#pragma once

#include "harness/record/snapshot.h"

namespace gridlock::detect {

// Finalize, destroy or abort.
bool ends_communicator(record::Call call);

// The call that the thread is in. In ncclGroupEnd that is the one which the group has deferred.
record::Call awaited_call(const record::Snapshot& snapshot, const record::Thread& thread);

// Whether that CUDA or NCCL call may either wait on a GPU or return at once; only time tells which.
bool only_may_wait(const record::Snapshot& snapshot, const record::Thread& thread);

}  // namespace gridlock::detect
