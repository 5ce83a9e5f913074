// Whether any process or thread has begun, at the price of one small file.
#pragma once

#include <sys/types.h>

#include <optional>

namespace gridlock::processes {

// The number that the kernel gave out last in this PID namespace, to a process or to a thread.
// While it stays the same, none has begun here or in a namespace below. {} if /proc/loadavg does
// not tell: some containers have one of their own, which is brought up to date only now and then.
//   Blocks   no; the first call starts a thread to see whether the number grows
std::optional<pid_t> newest();

}  // namespace gridlock::processes
