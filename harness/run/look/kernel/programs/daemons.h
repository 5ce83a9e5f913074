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

}  // namespace gridlock::run
