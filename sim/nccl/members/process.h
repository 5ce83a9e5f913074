// Other processes of this machine: whether they are alive, and the files that they hold open.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace sim::nccl {

// A process. Its start time tells it from a later one with the same id.
struct Process {
  std::int64_t pid;
  std::uint64_t start;  // clock ticks since boot
};

// The calling process (asked anew each time: a forked child is another one).
Process this_process();

// False once the process has ended, even if its exit status was not collected yet.
bool alive(const Process& process);

// Equal in processes that see each other under the same ids: they share the machine, its boot and
// the PID namespace.
std::uint64_t this_machine();

// Opens what process `pid` holds open as `descriptor`, for reading (and writing).
//   Returns  a descriptor of our own, or -1 with errno
int open_of(std::int64_t pid, int descriptor, bool writable);

}  // namespace sim::nccl
