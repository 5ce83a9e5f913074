// Finds out which agent this is, and of how many: from the environment of the launcher (mpiexec,
// srun), and then from MPI.
//
// MPI serves only this, and is not called once the first rank starts. This avoids traps of MPICH
// 4.0.2 (docs/nodes.md):
//  - If a process ends before it has told hydra that MPI is over, hydra kills all others after
//    0.1 s, before any of them can say what happened. After that message an exit code does no harm.
//    A signal still does, so hydra must see the guard (harness/processes/guard.h), which turns an
//    agent's death into exit code 3.
//  - MPI_Finalize over sockets hangs now and then, so only its message to the launcher is sent.
//  - A process that waits in MPI spins, and takes a core from the ranks. poll() cannot wait for MPI
//    and pipes together.
//  - With ch4:ucx a peer that dies takes others with it.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace gridlock::agents {

// How many agents were started, according to the environment; 1 without a launcher. Does not start
// MPI. `value_of` is getenv.
//   Errors   UsageError if there are several, and no MPI through which they could meet
int launched_agents(const std::function<const char*(const char*)>& value_of);

struct Met {
  int index = 0;
  int agents = 1;
  std::string invitation;
};

// Starts MPI and gives all agents what `invite` returns on agent 0. Nothing waits in MPI after
// that. Hides the launcher's variables and descriptors, so that no rank inherits them.
//   Collective  over all agents
//   Errors      MachineError if MPI knows only one agent although `expected` were started
Met meet(int expected, const std::function<std::string()>& invite);

// Sends the launcher the message of MPI_Finalize (PMI 1), but nothing to the other processes. From
// then on, hydra lets the others live when this process ends, and passes on its exit code. Does
// nothing in a build without MPI. Returns whether the launcher has answered. A launcher with
// another protocol does not answer, and treats our end as a failure if we end first.
//   Blocks  for the answer, at most 1 s
bool tell_launcher();

}  // namespace gridlock::agents
