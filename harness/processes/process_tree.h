// Finds, kills and reaps the processes that we started: only by parenthood and by process
// descriptor, never by name.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

#include "harness/base/file_descriptor.h"
#include "harness/base/limits.h"

namespace gridlock::processes {

// How a process ended.
struct Ending {
  bool signaled = false;
  int code = 0;  // exit code, or the signal's number
};

// Makes this process the parent of orphaned descendants, so that it can find and reap them.
void become_subreaper();

struct Descendant {
  pid_t pid = 0;
  pid_t parent = 0;
  bool has_ended = false;  // it is a zombie, or gone by now
  int threads = 0;         // that live; 0: not known
};

// All descendants of `ancestor` except zombies. A process whose first thread has ended is not a
// zombie while another of its threads runs. If the kernel lists children, the cost grows with the
// descendants; otherwise, with all processes on the machine.
std::vector<Descendant> tree_below(pid_t ancestor);
// The same with those that have ended. A process that ended before its turn may have started
// another one that is missing here; a second listing, compared with the first, tells.
std::vector<Descendant> whole_tree_below(pid_t ancestor);
// Whether a process lives in only one of two listings, or has ended between them. It may have
// started one that is in neither.
bool has_changed(const std::vector<Descendant>& before, const std::vector<Descendant>& after);
// Whether all that are listed live, with as many threads. If nothing has begun since before the
// listing, a second one would show the same.
bool are_all_alive(const std::vector<Descendant>& listed);
std::vector<pid_t> descendants(pid_t ancestor);

// Kills and reaps every descendant of this process, until there are none.
//   Blocks   until they are gone, at most for `limit`
//   Returns  those that are still there (the kernel holds them)
std::vector<pid_t> kill_descendants(Duration limit);

// Waits for the end of the process that `handle` stands for.
//   Blocks   until then, at most until `deadline`
//   Returns  whether it has ended
bool wait_for_end(const FileDescriptor& handle, std::chrono::steady_clock::time_point deadline);

// Reaps `pid`, a child, if it has ended.
std::optional<Ending> reap(pid_t pid);

}  // namespace gridlock::processes
