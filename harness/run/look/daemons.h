// Ranks that daemonize: the process that we started ends, and its copy goes on.
#pragma once

#include <sys/types.h>

#include <string>

namespace gridlock::run {

// A process below this agent that runs the same program as the rank which we started as `command`,
// with `local_rank` in its environment; 0: there is none. A helper that a rank leaves behind is
// another program.
//   Blocks   no; a few system calls for each process of the job
pid_t daemon_of(const std::string& command, int local_rank);

}  // namespace gridlock::run
