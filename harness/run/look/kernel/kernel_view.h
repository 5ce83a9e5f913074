// What the kernel knows about a rank's threads. For a thread in unrecorded code, there is no other
// source.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/record/snapshot.h"

namespace gridlock::run {

// Fills name, state, system call and wait channel of the snapshot's threads, or of the process's
// first one if none has made a recorded call. Marks those that are gone, and counts the program's
// other threads. Threads that the vendors' libraries and the recorder started are not the
// program's, and are left out.
//   Blocks   no; a few system calls per thread
void add_kernel_view(record::Snapshot& snapshot);

// Fills the name, state and system call of a thread of this host that is in no box.
//   Blocks   no; two system calls
void describe(record::Sleeper& thread);

// Whether all threads of the process are exiting or will be as soon as they run. If only its first
// one has ended (pthread_exit), the others live on.
//   Blocks   no; some system calls per thread
bool is_process_ending(std::int64_t pid);

// Whether no thread of the process is left: it is gone, or a zombie that its parent has not reaped
// yet. A process of which only the main thread has ended still runs.
//   Blocks   no; three system calls
bool has_ended(std::int64_t pid);

}  // namespace gridlock::run
