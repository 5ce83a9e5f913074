// MPI_Finalize deletes the attributes of MPI_COMM_SELF first. Rank 0 has one with a function of the
// program, which computes for a second and then sends rank 1 a message. Rank 1 ends MPI only then.
// Naive view: rank 0 waits in MPI_Finalize for rank 1, and rank 1 for rank 0.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/attributes.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  if (mpi.rank == 0) set_attribute(MPI_COMM_SELF);
  if (mpi.rank == 1) receive(0);
  return 0;
}
