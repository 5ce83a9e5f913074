// Two processes watch over a run, so that nothing is left behind when either of them is killed.
// The guard is what the user sees. Its child, the agent, does the work.
#pragma once

#include <functional>

#include "harness/base/limits.h"

namespace gridlock::processes {

// Runs `agent` in a child process and returns its exit code. Signals that ask a command to end are
// passed on to it. If the agent is killed, all its descendants are killed too, a sentence is
// printed and 3 returned. If the guard is killed, the agent gets SIGTERM.
// `linger`: how long the guard of a killed agent stays, unless it is asked to end. A launcher sees
// only the guard, and may kill all other agents when it ends. By then they have noticed for
// themselves what happened.
//   Blocks   until the agent and all its descendants are gone
int guarded(const std::function<int()>& agent, Duration linger = {});

}  // namespace gridlock::processes
