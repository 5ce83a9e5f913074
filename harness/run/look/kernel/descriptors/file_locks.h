// Who has taken the locks of a file, and who waits for them.
#pragma once

#include <sys/types.h>

#include <vector>

namespace gridlock::run {

struct FileLocks {
  // A child may have inherited the lock, and the taker may be gone. -1: the kernel does not tell.
  std::vector<pid_t> takers;
  bool waits = false;  // the process stands in the queue
};

// The host's locks of the file at `descriptor` of `pid`.
FileLocks locks_of(pid_t pid, int descriptor);

}  // namespace gridlock::run
