// Threads in a recorded wait that are not asleep. A call that waits is recorded before it looks at
// its arguments, so a thread that has lost its core in one that will be refused looks as if it
// waited. One that waits in truth soon sleeps, if only between two glances, or spins.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "harness/base/duration.h"
#include "harness/record/snapshot.h"

namespace gridlock::run {

// More than a refused call needs on a core.
constexpr Duration kSpinBound = 1ms;

class BusyWaits {
 public:
  // Takes threads that are awake out of their recorded waits, unless they were seen asleep in the
  // same wait, or have had a core for longer than kSpinBound since they were first seen in it.
  // REQUIRES: add_kernel_view
  //   Blocks   no; a system call per thread that is awake in a wait
  void look(record::Snapshot& snapshot);

 private:
  struct Wait {
    std::uint64_t epoch = 0;
    bool has_slept = false;
    std::int64_t ran_ns = 0;  // on a core, when first seen in it awake
  };
  std::unordered_map<std::int64_t, Wait> waits_;  // by thread
};

}  // namespace gridlock::run
