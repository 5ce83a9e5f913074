// Starts processes directly, in a new process group. They die with this process.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "harness/base/file_descriptor.h"

namespace gridlock::processes {

struct Launch {
  std::vector<std::string> command;      // looked up in PATH if it has no slash
  std::vector<std::string> environment;  // NAME=value, on top of our own
  pid_t group = 0;                       // 0: a new group
  int report = -1;                       // a descriptor to inherit as number kReportFd
  bool join_streams = true;              // stderr goes where stdout goes; else it is discarded
  std::vector<int> spaces = {};          // descriptors of the namespaces to enter
};

// The number under which a process finds its report pipe.
constexpr int kReportFd = 3;

struct Process {
  pid_t pid = 0;
  FileDescriptor handle;  // pidfd: readable when the process has ended
  FileDescriptor output;  // standard output and error; does not block
};

// Starts `launch` with standard input from /dev/null.
//   Errors   MachineError naming the command if it cannot be started
//   Blocks   until the program is loaded, or loading has failed
Process start(const Launch& launch);

}  // namespace gridlock::processes
