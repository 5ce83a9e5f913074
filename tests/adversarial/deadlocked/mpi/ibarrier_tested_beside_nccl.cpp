// Rank 1 polls a barrier that is under way (MPI_Ibarrier, MPI_Test) before it joins an all-reduce.
// Rank 0 joins the barrier after the all-reduce.
// Naive view: rank 1 runs code of its own.
// Expected: no proof, because rank 1 can act; a stall that shows the cycle.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).or_as("stall", "cycle", {0, 1}),
                            .options = {"--stall-limit", "3s"},
                            .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const ncclComm_t world = mpi.join_by_nccl();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  MPI_Request barrier = MPI_REQUEST_NULL;
  if (mpi.rank == 1) {
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    for (int is_over = 0; is_over == 0; pause_ms(1)) {
      MPI_Test(&barrier, &is_over, MPI_STATUS_IGNORE);
    }
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (mpi.rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}
