// Ranks that daemonize: the process that we started ends, and its forked copy goes on.
#pragma once

#include <sys/types.h>

#include <string>

namespace gridlock::run {

// A process below this agent that runs the same program as the rank that we started by `command`,
// and has `local_rank` in its environment; 0: there is none. A helper that a rank leaves behind
// runs another program.
//   Blocks   no; a few system calls for each process of the job
pid_t daemon_of(const std::string& command, int local_rank);

// A process below this agent that was started with this local rank; 0: there is none. The process
// that had the rank's box may have been a helper of its own.
//   Blocks   no; reads the environment of each
pid_t living_with(int local_rank);

}  // namespace gridlock::run
