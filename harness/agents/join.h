// One program, started several times by mpiexec or srun: agent 0 leads, the others follow.
#pragma once

#include <functional>
#include <string>

#include "harness/catalogue/installation.h"
#include "harness/run/fellows.h"

namespace gridlock::agents {

// On agent 0, runs `lead` with its fellows, or with null if there is only one agent, and returns
// its result. On the others, does what agent 0 asks until it ends the session. `version` must be
// equal on all agents.
//   Errors   UsageError or MachineError if the agents cannot meet; what `lead` throws
//   Blocks   until the session is over
int lead_or_follow(const catalogue::Installation& installation, const std::string& version,
                   const std::function<int(run::Fellows*)>& lead);

// How many agents were started together, according to the environment. Starts nothing.
//   Errors   UsageError if they could not meet
int launched_agents();

}  // namespace gridlock::agents
