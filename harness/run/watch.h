// The agent's work: starts a job, looks at its boxes about every millisecond until there is a
// verdict, and leaves nothing of it behind.
#pragma once

#include <functional>
#include <span>

#include "harness/catalogue/installation.h"
#include "harness/detect/verdict/verdict.h"
#include "harness/processes/interrupts.h"
#include "harness/run/fellows.h"
#include "harness/run/job.h"

namespace gridlock::run {

// What is to be done with a stall: none, the job is ended with that verdict. Else it is told, and
// the job watched on until it ends, hangs provably, or moves and stalls anew.
using OnStall = std::function<void(detect::Verdict, std::span<const record::Snapshot>)>;

// `fellows`: who start their shares of the ranks; null where this agent starts them all.
//   Errors   MachineError when the job cannot be started or a box cannot be mapped; UsageError
//            when it cannot be divided
//   Blocks   until the job has ended, or hangs, or `interrupts` asks to end, or an agent is lost
Observation watch(const Job& job, const catalogue::Installation& installation,
                  processes::Interrupts& interrupts, Fellows* fellows = nullptr,
                  const OnStall& on_stall = {});

}  // namespace gridlock::run
