// Receives requests to end, in a form that a poll loop can wait for.
#pragma once

#include <csignal>
#include <string>

#include "harness/base/file_descriptor.h"

namespace gridlock::processes {

// SIGINT, SIGTERM, SIGHUP and SIGQUIT, except those that this process was started to ignore: SIGHUP
// under nohup, SIGINT and SIGQUIT in the background of a script. Those stay ignored. If we blocked
// them, they would reach us after all.
sigset_t requests_to_end();

class Interrupts {
 public:
  // From now on, requests to end are only noted.
  Interrupts();

  int descriptor() const { return descriptor_.get(); }
  // Whether the run has been asked to end. Does not wait.
  bool requested();
  // "SIGINT", for example. Empty if nothing was requested.
  std::string name() const;

 private:
  FileDescriptor descriptor_;
  int signal_ = 0;
};

}  // namespace gridlock::processes
