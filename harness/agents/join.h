// One program, started several times by mpiexec or srun: agent 0 leads, the others follow.
#pragma once

#include <functional>
#include <string>

#include "harness/catalogue/installation.h"
#include "harness/run/fellows.h"

namespace gridlock::agents {

// Runs `lead` on agent 0 with its fellows, or with null where there is only one agent, and returns
// what it returns. On the others does what agent 0 says until it ends the session. `version`: what
// must be equal on all.
//   Errors   UsageError, MachineError where the agents cannot meet; what `lead` throws
//   Blocks   until the session is over
int lead_or_follow(const catalogue::Installation& installation, const std::string& version,
                   const std::function<int(run::Fellows*)>& lead);

// How many agents were started together, as far as the environment says. Starts nothing.
//   Errors   UsageError when they could not meet
int launched_agents();

}  // namespace gridlock::agents
