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

// The exit code if files that were wanted may not be written. A known difference matters more.
constexpr int with_files(int code, bool all_written) {
  return all_written || code != kAsDeclared ? code : static_cast<int>(kNothingConcluded);
}

}  // namespace gridlock::session
