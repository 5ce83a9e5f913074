// Calls of which nothing outside CUDA and NCCL shows whether they wait.
#pragma once

#include "harness/record/snapshot.h"

namespace gridlock::detect {

// Finalize, destroy or abort.
bool ends_communicator(record::Call call);

// Whether the thread may stay inside NCCL though no member is missing where it is seen to wait: it
// ends a communicator, or several calls of a group, of which only the first one is recorded.
bool may_stay_inside(const record::Thread& thread);

// The call that the thread is in. In ncclGroupEnd that is the one which the group has deferred.
record::Call awaited_call(const record::Snapshot& snapshot, const record::Thread& thread);

// Whether that CUDA or NCCL call may either wait on a GPU or return at once; only time tells which.
bool only_may_wait(const record::Snapshot& snapshot, const record::Thread& thread);

}  // namespace gridlock::detect
