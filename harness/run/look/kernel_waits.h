// Adds to snapshots what the kernel knows of threads that sleep outside recorded calls: those of
// the ranks, and of all other processes of the job on this machine.
#pragma once

#include <cstdint>
#include <span>

#include "harness/record/snapshot.h"

namespace gridlock::run {

// Fills Thread::sleep, `others`, `key` and `signals` of this agent's snapshots. Of a rank one of
// whose recorded threads can act anyway, the other threads are not looked at: it is enough that it
// can. `first_rank`: of this agent.
//   Blocks   no; see Sleepers::look
void add_kernel_waits(std::span<record::Snapshot> snapshots, std::int32_t first_rank);

}  // namespace gridlock::run
