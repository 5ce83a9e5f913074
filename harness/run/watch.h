// The agent's work: starts a job, looks at its boxes about twice a millisecond until there is a
// verdict, and leaves no process of it behind.
#pragma once

#include "harness/catalogue/installation.h"
#include "harness/processes/interrupts.h"
#include "harness/run/fellows.h"
#include "harness/run/job.h"

namespace gridlock::run {

// `fellows`: the agents that start the other ranks; null if this agent starts all.
//   Errors   MachineError if the job cannot be started or a box cannot be mapped; UsageError if it
//   cannot be divided
//   Blocks   until the job has ended, or hangs, or `interrupts` asks to end, or an agent is lost
Observation watch(const Job& job, const catalogue::Installation& installation,
                  processes::Interrupts& interrupts, Fellows* fellows = nullptr);

}  // namespace gridlock::run
