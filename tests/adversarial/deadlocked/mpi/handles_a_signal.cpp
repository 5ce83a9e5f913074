// Both ranks handle SIGUSR2, and each receives from the other what neither sends. The launcher sits
// above them and could send the signal, as any process of the machine could.
// Naive view: who handles a signal can always be freed.
// Expected: deadlock, assuming that no such signal comes from a launcher or from outside.
#include <csignal>

#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming("launcher"),
                            .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  std::signal(SIGUSR2, [](int) {});
  MPI_Barrier(MPI_COMM_WORLD);
  receive(1 - mpi.rank);
  return 0;
}
