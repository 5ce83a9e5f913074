// The verdict that a scenario declares it must get, as plain values. What it does not state is not
// compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

struct Expectation {
  struct Wait {
    std::optional<std::vector<int>> ranks;        // all that wait there; nullopt: any
    record::Call operation = record::Call::none;  // or the host call; none: any
    std::string communicator;                     // its name; "": any
    std::optional<std::uint64_t> slot;
    std::string label;   // "": any
    std::string caller;  // the function that made the call; "": any
  };

  std::vector<Outcome> outcomes;  // the accepted ones
  Cause cause = Cause::none;      // none: any
  std::vector<int> culprits;      // empty: any
  std::vector<Wait> waiting;
};

}  // namespace gridlock::detect
