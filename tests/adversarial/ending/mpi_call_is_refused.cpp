// Rank 0 makes a call that MPI refuses, which ends the job: that is MPI's default. Rank 1 waits for
// rank 0.
// Naive view: who is in a receive waits for its message.
// Expected: fails; rank 0 is to blame.
#include <mpi.h>
#include <unistd.h>

#include "tests/adversarial/setup/trial.h"

constinit const adversarial::Trial trial{.expect = adversarial::ends("fails", "", {0}),
                                         .by_mpiexec = true};

int program(int argc, char** argv) {
  int rank = 0;
  int byte = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) usleep(300'000);
  MPI_Recv(&byte, rank == 0 ? -1 : 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
