// Rank 0 duplicates a communicator. Its attribute is copied by a function of the program, which
// computes for a second and then sends rank 1 a message. Rank 1 makes the same call only then.
// Naive view: rank 0 waits in MPI_Comm_dup for rank 1, and rank 1 for rank 0.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/attributes.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  if (mpi.rank == 0) set_attribute(MPI_COMM_WORLD);
  if (mpi.rank == 1) receive(0);
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_free(&twin);
  return 0;
}
