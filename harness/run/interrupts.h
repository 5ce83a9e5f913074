// Requests to end, as something a poll loop can wait for.
#pragma once

#include <string>

#include "harness/run/file_descriptor.h"

namespace gridlock::run {

class Interrupts {
 public:
  // From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT are only noted.
  Interrupts();

  int descriptor() const { return descriptor_.get(); }
  // Whether the run has been asked to end. Looks without waiting.
  bool requested();
  // "SIGINT"; "" when nothing was requested.
  std::string name() const;

 private:
  FileDescriptor descriptor_;
  int signal_ = 0;
};

}  // namespace gridlock::run
