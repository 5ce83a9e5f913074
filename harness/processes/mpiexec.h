// Starting ranks that speak MPI: through MPICH's mpiexec, once for all of them.
//
// We do not rely on what hydra does (docs/nodes.md). It gives every rank a session of its own, so
// ranks are killed as our descendants, not as a group. Its exit status means little, so ranks
// report for themselves. When one rank dies, it kills the others.
#pragma once

#include <string>
#include <vector>

namespace gridlock::processes {

// Why it cannot be done here, as "needs …"; "" when it can.
//   Blocks   at most for kDescribeLimit, the first time
std::string why_no_mpiexec();

// The command that starts one rank of `command` for each of `environments` (NAME=value), in their
// order. These variables reach the ranks only, not mpiexec.
std::vector<std::string> under_mpiexec(const std::vector<std::string>& command,
                                       const std::vector<std::vector<std::string>>& environments);

}  // namespace gridlock::processes
