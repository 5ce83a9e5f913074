// Both ranks handle SIGUSR2, and each receives from the other what neither sends. The launcher sits
// above them and could send the signal, as any process of the machine could.
// Naive view: who handles a signal can always be freed.
// Expected: deadlock, assuming that no such signal comes from a launcher or from outside.
#include <mpi.h>

#include <csignal>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming("launcher"),
                            .by_mpiexec = true};

int program(int argc, char** argv) {
  int rank = 0;
  int word = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::signal(SIGUSR2, [](int) {});
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(&word, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
