// Rank 0 waits in MPI_Recv for a message that rank 1 sends after an all-reduce. Rank 0 joins the
// all-reduce only after the receive.
// Expected: deadlock; a cycle of both.
#include <mpi.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}), .by_mpiexec = true};

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
  int word = 0;
  if (self == 0) MPI_Recv(&word, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (self == 1) MPI_Send(&word, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
