// The back end and its settings.
#include "harness/recorder/connects.h"

#include <cstdlib>
#include <string_view>

#include "harness/recorder/vendor.h"

namespace gridlock::recorder {
namespace {

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

Connects find_out() {
  // Only the simulation has this call.
  if (find_cuda("simLaunch") != nullptr) {
    return setting("GRIDLOCK_SIM_LAZY_CONNECT") == "1" ? Connects::at_first : Connects::never;
  }
  return setting("NCCL_RUNTIME_CONNECT") == "0" ? Connects::never : Connects::at_each_kind;
}

}  // namespace

Connects connects() {
  static const Connects found = find_out();
  return found;
}

}  // namespace gridlock::recorder
