// Rank 0 makes the communicator before it sends the id by MPI_Bcast.
// Naive view: ranks 1 and 2 are absent from the init, so they are to blame.
// Expected: deadlock; rank 0 is missing in the broadcast.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {0}), .ranks = 3, .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  ncclUniqueId id;
  ncclComm_t all = nullptr;
  check(cudaSetDevice(mpi.rank));
  if (mpi.rank == 0) {
    check(ncclGetUniqueId(&id));
    check(ncclCommInitRank(&all, 3, id, 0));
  }
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (mpi.rank != 0) check(ncclCommInitRank(&all, 3, id, mpi.rank));
  return 0;
}
