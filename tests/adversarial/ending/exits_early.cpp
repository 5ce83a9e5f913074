// Rank 1 calls exit(3) without MPI_Finalize while the others wait in a barrier. mpiexec ends them
// all.
// Expected: it ends by itself, badly.
#include <mpi.h>
#include <unistd.h>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = ends("fails", "", {1}).or_as("crashes", "", {1}),
                            .ranks = 3,
                            .by_mpiexec = true,
                            .beside_load = true};

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  usleep(100'000);
  if (rank == 1) _exit(3);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
