// Rank 0 waits for a receive and for a send that may end at any time; rank 1 is in a barrier.
// Naive view: the send is not buffered, or its end may wake somebody.
// Expected: deadlock; the ranks wait for each other.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}), .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  int x = 0, y = 0;
  MPI_Request r[2];
  if (mpi.rank == 0) {
    MPI_Irecv(&y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}
