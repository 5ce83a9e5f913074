// As attribute_reduces, but MPI_Comm_idup copies the attribute, which does not wait.
// Naive view: what happens inside a recorded call of MPI is MPI's, so rank 0 is one call behind.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/reduces.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  Reduces reduces{.world = mpi.join_by_nccl()};
  if (mpi.rank == 0) {
    reduces.attach(MPI_COMM_SELF);
  } else {
    reduces();
  }
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Request request{};
  MPI_Comm_idup(MPI_COMM_SELF, &twin, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  reduces.go_on(mpi.rank);
  MPI_Comm_free(&twin);
  return 0;
}
