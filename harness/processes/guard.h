// Two processes watch over a run, so that nothing is left behind when either of them is killed.
// The guard is what the user sees. Its child, the agent, does the work.
#pragma once

#include <functional>

#include "harness/base/limits.h"

namespace gridlock::processes {

// Runs `agent` in a child process and returns its exit code. Passes on signals that ask to end. If
// the agent is killed, the guard kills all its descendants, prints a sentence and returns 3. If the
// guard is killed, the agent gets SIGTERM. `linger` is how long the guard of a killed agent stays,
// unless it is asked to end. A launcher sees only the guard, and may kill all other agents when it
// ends. By then they have noticed for themselves what happened.
//   Blocks   until the agent and all its descendants are gone
int guarded(const std::function<int()>& agent, Duration linger = {});

}  // namespace gridlock::processes
