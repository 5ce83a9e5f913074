// MPI and NCCL alternate: rank 0 waits in MPI_Recv for a message that rank 1 sends after an
// all-reduce, which rank 0 has already enqueued. A thread sleeps in between.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .by_mpiexec = true};

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
  for (int step = 0; step < 3; ++step) {
    if (self == step % 2) pause_ms(150);
    all_reduce(world, stream, data);
    if (self == 0) MPI_Recv(&word, 1, MPI_INT, 1, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(cudaStreamSynchronize(stream));
    if (self == 1) MPI_Send(&step, 1, MPI_INT, 0, step, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
