// Rank 1 leaves out the all-reduce and ends MPI, which waits for rank 0: both ranks must call
// MPI_Finalize. MPI lets it sleep at the launcher there. Rank 0 waits for the all-reduce.
// Naive view: who sleeps in MPI, but not for a lock, reports an error.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming("MPI_Finalize"),
                            .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const ncclComm_t world = mpi.join_by_nccl();
  const cudaStream_t stream = make_stream();
  if (mpi.rank == 0) {
    all_reduce(world, stream, device_floats());
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
