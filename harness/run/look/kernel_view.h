// What the kernel knows of a rank's threads: the only word on a thread that is in code nobody
// records.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/record/snapshot.h"

namespace gridlock::run {

// Fills state, system call and wait channel of the snapshot's threads, marks those that are gone,
// and counts the program's other threads. Those that the vendors' libraries and the recorder have
// started are nobody's program and are left out.
//   Blocks   no; a few system calls a thread
void add_kernel_view(record::Snapshot& snapshot);

// Whether no thread of the process is left: it is gone, or a zombie that its parent has not reaped
// yet. One whose main thread alone has ended goes on.
//   Blocks   no; three system calls
bool has_ended(std::int64_t pid);

}  // namespace gridlock::run
