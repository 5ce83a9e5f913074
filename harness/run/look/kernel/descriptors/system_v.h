// Who uses a semaphore or a message queue of System V. Whoever knows its number may.
#pragma once

#include <sys/types.h>

#include <span>

#include "harness/run/look/kernel/descriptors/wakers.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {

// Whether a process outside `job` was the last to use what `pid` waits for in `call` (semop,
// semtimedop, msgrcv or msgsnd), and lives. The kernel keeps no more than that: who gave a
// semaphore is forgotten once it has been taken. True also if it is not known: the call's object is
// in another namespace, nobody may ask for it, or that process is in another PID namespace.
//   Blocks   no
bool is_used_by_stranger(pid_t pid, const SystemCall& call, std::span<const JobProcess> job);

}  // namespace gridlock::run
