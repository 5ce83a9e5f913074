// Tells a process from a later one that got the same number.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace gridlock::recorder {

// When the process started, in clock ticks since boot (/proc/<pid>/stat); 0 when there is no such
// process, or it has ended and only waits to be reaped.
std::uint64_t start_time(pid_t pid);

}  // namespace gridlock::recorder
