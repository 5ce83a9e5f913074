// Starting ranks that speak MPI: through MPICH's mpiexec, once for all of them.
//
// What hydra does behind it (docs/nodes.md) is nothing that we rely on: every rank gets a
// session of its own, so they are killed as our descendants, not as a group; mpiexec's exit status
// means little, so ranks report by themselves; and when one dies it kills the others.
#pragma once

#include <string>
#include <vector>

namespace gridlock::processes {

// Why it cannot be done here, as "needs …"; "" when it can.
//   Blocks   at most for kDescribeLimit, the first time
std::string why_no_mpiexec();

// The command that starts one rank of `command` for each of `environments` (NAME=value), in their
// order. What is in them reaches the ranks only, not mpiexec.
std::vector<std::string> under_mpiexec(const std::vector<std::string>& command,
                                       const std::vector<std::vector<std::string>>& environments);

}  // namespace gridlock::processes
