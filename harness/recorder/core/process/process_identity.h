// Tells a process from a later one with the same process id.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace gridlock::recorder {

// When the process started, in clock ticks since boot (/proc/<pid>/stat); 0 if there is no such
// process, or it has ended and waits to be reaped.
std::uint64_t start_time(pid_t pid);

}  // namespace gridlock::recorder
