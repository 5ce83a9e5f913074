// The time limits of system calls. Who waits for others often has a far one, in case they never
// come; a short one may be a way to sleep.
#pragma once

#include <cstdint>

#include "harness/base/limits.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {

enum class TimeLimit : std::uint8_t { none, far, near };

TimeLimit time_limit(Duration limit);

// The limit of a thread of `pid` that sleeps in `futex`. It is near if it cannot be read.
//   Blocks   no; reads the process's memory
TimeLimit limit_of_futex(std::int64_t pid, const SystemCall& call);

// The limit of one that sleeps in `poll` or `ppoll`.
//   Blocks   no; as above
TimeLimit limit_of_poll(std::int64_t pid, const SystemCall& call);

// Whether the call may have a time limit that does not show.
bool has_hidden_limit(const SystemCall& call);

// For how long a thread of `pid` sleeps in `call` at most, if that is a sleep by the clock, one of
// the above, `select` or `epoll_wait`; 0: not known, or for kFarLimit and more.
//   Blocks   no; as above
Duration longest_sleep(std::int64_t pid, const SystemCall& call);

}  // namespace gridlock::run
