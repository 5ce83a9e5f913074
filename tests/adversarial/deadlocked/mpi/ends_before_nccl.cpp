// Rank 1 leaves out the all-reduce and ends MPI, which waits for rank 0: both ranks must call
// MPI_Finalize. MPI lets it sleep at the launcher there. Rank 0 waits for the all-reduce.
// Naive view: who sleeps in MPI, but not for a lock, reports an error.
// Expected: deadlock; a cycle of both.
#include <mpi.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming("MPI_Finalize"),
                            .by_mpiexec = true};

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int self = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  ncclUniqueId id;
  if (self == 0) check(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  check(cudaSetDevice(self));
  ncclComm_t world = nullptr;
  check(ncclCommInitRank(&world, 2, id, self));
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (self == 0) {
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  MPI_Finalize();
  return 0;
}
