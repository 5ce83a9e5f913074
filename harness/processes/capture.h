// Runs a program and takes what it prints within a time limit.
#pragma once

#include <string>
#include <vector>

#include "harness/base/limits.h"
#include "harness/processes/process_tree.h"

namespace gridlock::processes {

struct Captured {
  std::string output;  // standard output, at most a few MiB
  bool timed_out = false;
  Ending ending;
};

// Runs `command` and returns what it wrote. Kills a program that takes longer than `limit`, or
// writes without end.
//   Errors   MachineError if it cannot be started
//   Blocks   for about `limit` at most, and kReapLimit more if the kernel holds the killed process
Captured capture(const std::vector<std::string>& command, Duration limit);

}  // namespace gridlock::processes
