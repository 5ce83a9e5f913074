// Rank 0 waits in MPI_Recv for a message that rank 1 sends after an all-reduce. Rank 0 joins the
// all-reduce only after the receive.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}), .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const ncclComm_t world = mpi.join_by_nccl();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (mpi.rank == 0) receive(1);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (mpi.rank == 1) send(0);
  return 0;
}
