// Rank 1's part in the barriers is in a library that calls MPI by its names for tools (PMPI_X), as
// some of MPICH's own for Fortran do. All ranks then reduce, rank 1 later than the others.
// Naive view: rank 1 has called no barrier, so the reduction meets the others' barrier.
// Expected: completes.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = completes(), .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const int own = 1;
  int sum = 0;
  for (int step = 0; step < 3; ++step) {
    if (mpi.rank == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
    } else {
      PMPI_Barrier(MPI_COMM_WORLD);
      pause_ms(300);
    }
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  return sum == 2 ? 0 : 5;
}
