// MPI and NCCL alternate: rank 0 waits in MPI_Recv for a message that rank 1 sends after an
// all-reduce, which rank 0 has already enqueued. A thread sleeps in between.
// Expected: completes.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = completes(), .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const ncclComm_t world = mpi.join_by_nccl();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < 3; ++step) {
    if (mpi.rank == step % 2) pause_ms(150);
    all_reduce(world, stream, data);
    if (mpi.rank == 0) receive(1, step);
    check(cudaStreamSynchronize(stream));
    if (mpi.rank == 1) send(0, step);
  }
  return 0;
}
