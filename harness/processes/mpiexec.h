// Starts ranks that use MPI: MPICH's mpiexec starts all of them at once.
//
// We do not rely on hydra (docs/nodes.md). It gives every rank a new session, so we kill ranks as
// our descendants, not as a group. Its exit status means little, so ranks report for themselves. If
// one rank dies, hydra kills the others.
#pragma once

#include <string>
#include <vector>

namespace gridlock::processes {

// Why mpiexec cannot start ranks here, as "needs …". Empty if it can.
//   Blocks   at most for kDescribeLimit, the first time
std::string why_no_mpiexec();

// The command that starts one rank of `command` for each of `environments` (NAME=value), in order.
// Only the ranks get these variables, not mpiexec.
std::vector<std::string> under_mpiexec(const std::vector<std::string>& command,
                                       const std::vector<std::vector<std::string>>& environments);

}  // namespace gridlock::processes
