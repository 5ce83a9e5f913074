// Adds to snapshots what the kernel knows about threads that sleep outside recorded calls: threads
// of the ranks, and of all other processes of the job on this machine.
#pragma once

#include <cstdint>
#include <span>

#include "harness/record/snapshot.h"
#include "harness/run/look/kernel/busy_waits.h"
#include "harness/run/look/kernel/descriptors/holders.h"
#include "harness/run/look/kernel/naps.h"
#include "harness/run/look/kernel/programs/pythons_turns.h"

namespace gridlock::run {

enum class Purpose : std::uint8_t { proof, explanation };

// What looks remember of threads.
struct Remembered {
  BusyWaits waits;
  Naps naps;
  PythonsTurns turns;
};

// Fills Thread::sleep, `others`, `key` and `signals` of this agent's snapshots, and takes threads
// out of recorded waits that they are not in, as far as is `known`. If one of a rank's recorded
// threads can act, its other threads are not looked at, because the rank can act anyway; for an
// explanation, all that can act are shown and described. `first_rank`: this agent's. `spread`: the
// job is on several hosts, so its connections between them are listed too.
//   Blocks   no; see Sleepers::look
void add_kernel_waits(std::span<record::Snapshot> snapshots, std::int32_t first_rank, Scope scope,
                      bool spread, Remembered& known, Purpose purpose);

}  // namespace gridlock::run
