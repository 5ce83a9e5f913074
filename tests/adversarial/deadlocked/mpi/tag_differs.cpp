// A halo exchange in which rank 1 uses a wrong tag in one direction, and a barrier. The requests of
// one MPI_Waitall can end but for one.
// Naive view: MPI's work may still wake somebody, so nothing is proven.
// Expected: deadlock without an assumption about threads; ranks 0 and 1 wait for each other.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}),
                            .ranks = 3,
                            .by_mpiexec = true,
                            .says = {"Rank 1 has sent rank 0 a message with tag 2"}};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const int sent[2] = {1, 2};
  int got[2] = {};
  const int left = mpi.rank > 0 ? mpi.rank - 1 : MPI_PROC_NULL;
  const int right = mpi.rank < 2 ? mpi.rank + 1 : MPI_PROC_NULL;
  MPI_Request r[4];
  MPI_Irecv(&got[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&got[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(&sent[0], 1, MPI_INT, left, mpi.rank == 1 ? 2 : 1, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(&sent[1], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}
