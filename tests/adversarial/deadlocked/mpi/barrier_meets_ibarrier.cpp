// Rank 1 begins a barrier (MPI_Ibarrier) and waits for it; rank 0 makes a blocking MPI_Barrier. MPI
// does not match the two with each other.
// Naive view: both ranks have come to the barrier, so it ends.
// Expected: a hang in which both are at the same place. MPI's rules forbid it, but no library need
// hang there, so a stall is right too.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{
    .expect = deadlock("mismatch", {0, 1}).or_as("stall", "mismatch", {0, 1}),
    .options = {"--stall-limit", "3s"},
    .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  if (mpi.rank == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  }
  return 0;
}
