// The errors with which a command ends without a result. Only `main` catches them.
#pragma once

#include <stdexcept>
#include <string>

namespace gridlock {

// The command line asks for something that does not exist or is impossible: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The harness or the machine failed, so nothing can be concluded: exit code 3.
struct MachineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The exit code of a rank or of gridlock if it cannot run. Test drivers use the same number.
constexpr int kCannotRunHere = 77;

// Nothing that was asked for can run here: exit code 77.
struct CannotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// "what: No such file or directory", from an errno value.
MachineError machine_error(const std::string& what, int error_number);

}  // namespace gridlock
