// The program's function that copies an attribute makes an all-reduce of NCCL on another
// communicator, as libraries do that keep one beside each of MPI's. Rank 1 makes it plainly. Both
// ranks make others after it, and rank 1 comes late.
// Naive view: what happens inside a recorded call of MPI is MPI's, so rank 0 is one call behind.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/reduces.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  Reduces reduces{.world = mpi.join_by_nccl()};
  if (mpi.rank == 0) {
    reduces.attach(MPI_COMM_WORLD);
  } else {
    reduces();
  }
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_free(&twin);
  reduces.go_on(mpi.rank);
  return 0;
}
