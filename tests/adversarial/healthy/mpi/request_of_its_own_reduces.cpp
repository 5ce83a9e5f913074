// Rank 0 waits for a generalized request. MPI asks the program's function for its status inside
// MPI_Wait, and the function makes an all-reduce of NCCL, which rank 1 makes plainly.
// Naive view: what happens inside a recorded call of MPI is MPI's, so rank 0 is one call behind.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/reduces.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

namespace {

int query(void* with, MPI_Status* status) {
  (*static_cast<const Reduces*>(with))();
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
int release(void*) { return MPI_SUCCESS; }
int cancel(void*, int) { return MPI_SUCCESS; }

}  // namespace

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  Reduces reduces{.world = mpi.join_by_nccl()};
  if (mpi.rank == 0) {
    MPI_Request request{};
    MPI_Grequest_start(query, release, cancel, &reduces, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    reduces();
  }
  reduces.go_on(mpi.rank);
  return 0;
}
