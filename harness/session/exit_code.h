// The exit codes of the program.
#pragma once

#include "harness/base/error.h"

namespace gridlock::session {

enum ExitCode : int {
  kAsDeclared = 0,
  kDiffers = 1,
  kWrongUsage = 2,
  kNothingConcluded = 3,
  kInconclusive = 4,  // accept and soak
  kCannotRun = kCannotRunHere,
};

}  // namespace gridlock::session
