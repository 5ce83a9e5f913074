// Whether a thread that a box shows in a wait is in one. A call that waits is recorded before it
// looks at its arguments, so a thread that has lost its core in one that will be refused looks as
// if it waited. And a signal's handler may interrupt the wait. A thread that waits in truth sleeps,
// if only between two glances, or spins.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "harness/base/duration.h"
#include "harness/record/snapshot.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {

// More than a refused call needs on a core.
constexpr Duration kSpinBound = 1ms;

class BusyWaits {
 public:
  // Begins a look at all threads.
  void begin() { spins_ = false; }
  // A look at a thread in a recorded wait. A sleeper waits, unless it sleeps in a handler
  // (Sleepers::may_run_handler). One that is awake waits if it has had a core for longer than
  // kSpinBound since it was first seen awake in it, or was last seen asleep: who has woken may have
  // been told of an error. One that is stopped waits if it was seen asleep. But not if it now
  // blocks other signals than then, as in a handler. MPI spins, and sleeps only for a lock or, at
  // its start and end, for the launcher: a thread that sleeps elsewhere in a call of MPI's reports
  // an error, or ends the job. A launch that gets new memory, or waits for a disk, loads or
  // compiles its kernel.
  //   Blocks   no; a system call or two
  bool waits(std::int64_t pid, const record::Thread& thread, const ThreadStatus& status);
  // Whether a thread in this look has not yet spun for long enough: the next look may tell.
  bool spins() const { return spins_; }

 private:
  struct Wait {
    std::uint64_t epoch = 0;
    std::int64_t since_ns = 0;
    std::uint64_t faults = 0;  // of pages, in a launch
    bool has_slept = false;
    std::int64_t ran_ns = 0;  // on a core, when first seen in it awake
    SignalSet blocked = 0;
  };
  std::unordered_map<std::int64_t, Wait> waits_;  // by thread
  bool spins_ = false;
};

}  // namespace gridlock::run
