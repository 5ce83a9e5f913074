// The agent's work: starts a job, looks at its boxes about every millisecond until there is a
// verdict, and leaves nothing of it behind.
#pragma once

#include "harness/run/installation.h"
#include "harness/run/interrupts.h"
#include "harness/run/job.h"

namespace gridlock::run {

//   Errors   MachineError when the job cannot be started or a box cannot be mapped
//   Blocks   until the job has ended, or hangs, or `interrupts` asks to end
Observation watch(const Job& job, const Installation& installation, Interrupts& interrupts);

}  // namespace gridlock::run
