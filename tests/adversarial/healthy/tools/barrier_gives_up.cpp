// A library of the program's own has an MPI_Barrier that polls and gives up after 1.5 s
// (setup/tools/barrier_gives_up.cpp). Then rank 0 goes on to the call that rank 1 waits for.
// Naive view: the MPI_Barrier that follows the recorder's waits until all are there.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/trial.h"

constinit const adversarial::Trial trial{.expect = adversarial::completes(), .by_mpiexec = true};

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int byte = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const bool gave_up = MPI_Barrier(MPI_COMM_WORLD) == MPI_ERR_PENDING;
    if (gave_up) MPI_Send(&byte, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&byte, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
