// What each kernel does on its stream's thread before and after its work. A collective of the NCCL
// side is a kernel too.
#pragma once

#include <cstddef>
#include <stop_token>

#pragma GCC visibility push(default)
namespace sim {

// False if a kernel has failed on the device, or the device is lost.
bool device_works(int device);
// Its stop is requested when that comes about, for those that sleep on the device.
std::stop_token until_broken(int device);

// Counts the kernel as the device's next launch, and lets the faults of GRIDLOCK_SIM_FAULT strike.
//   Returns  false if the device is broken: the kernel must do nothing
//   Blocks   a kernel that never ends: until the device breaks
bool kernel_begins(int device);

// Whether a kernel may access all of these bytes: device memory, pinned or registered memory.
bool is_visible(const void* data, std::size_t bytes);

// The kernel has accessed memory that is not visible. From now on every call on the device fails.
// `what` and `data` say in a message what it was.
void fail_at_address(int device, const char* what, const void* data);

// On a slow device, the kernel lasts longer than its work.
//   Blocks   there: for that time
void kernel_ends(int device);

}  // namespace sim
#pragma GCC visibility pop
