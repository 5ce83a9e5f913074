// Who is agent i of K: what the launcher (mpiexec, srun) says in the environment, and then MPI.
//
// MPI is used for this only; nobody calls it once the first rank starts. Traps of MPICH 4.0.2 that
// this avoids (docs/nodes.md):
//  - A process that ends before it has said that MPI is over has all others killed 0.1 s later,
//    before anybody can say what happened. Afterwards an exit code harms nobody; a signal still
//    does, so that hydra must see the guard (harness/processes/guard.h), which turns an agent's
//    death into a 3.
//  - MPI_Finalize over sockets hangs now and then: only its message to the launcher is sent.
//  - A process that waits in MPI spins, and takes a core from the ranks. There is nothing in MPI
//    that poll() could wait for together with pipes.
//  - With ch4:ucx a peer that dies takes others with it.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace gridlock::agents {

// How many agents the environment says there are; 1: nobody has started several. Starts no MPI.
// `value_of`: getenv.
//   Errors   UsageError when there are several and no MPI by which they could meet
int launched_agents(const std::function<const char*(const char*)>& value_of);

struct Met {
  int index = 0;
  int agents = 1;
  std::string invitation;
};

// Starts MPI and hands what `invite` returns on agent 0 to all; nothing waits in MPI afterwards.
// Hides the launcher's variables and descriptors, so that no rank inherits them.
//   Collective  over all agents
//   Errors      MachineError when MPI knows only one agent although `expected` were started
Met meet(int expected, const std::function<std::string()>& invite);

// What MPI_Finalize says to the launcher (PMI 1), without what it says to the others over sockets.
// From here on hydra lets the others live when this process ends, and takes its exit code as it is.
// Only where it is built with MPI. Returns whether the launcher has answered: one that speaks
// another language does not, and takes our end for a failure if we are the first.
//   Blocks  for the answer, at most 1 s
bool tell_launcher();

}  // namespace gridlock::agents
