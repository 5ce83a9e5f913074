// Two processes watch over a run, so that killing either of them leaves nothing behind: the guard,
// which is what the user sees, and its child, the agent, which does the work.
#pragma once

#include <functional>

namespace gridlock::run {

// Runs `agent` in a child process and returns its exit code. Signals that ask a command to end are
// passed on to it. If the agent is killed, all its descendants are killed too, a sentence is
// printed and 3 returned. If the guard is killed, the agent gets SIGTERM.
//   Blocks   until the agent and all its descendants are gone
int guarded(const std::function<int()>& agent);

}  // namespace gridlock::run
