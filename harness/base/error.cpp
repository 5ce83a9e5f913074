// Turns an errno value into a sentence.
#include "harness/base/error.h"

#include <system_error>

namespace gridlock {

MachineError machine_error(const std::string& what, int error_number) {
  return MachineError(what + ": " + std::generic_category().message(error_number));
}

}  // namespace gridlock
