// Rank 1 asks MPI_Test again and again for a message that rank 0 sends after an all-reduce, which
// rank 1 joins only then.
// Naive view: rank 1 runs code of its own, so it is stuck there.
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
  int word = 0;
  if (mpi.rank == 1) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    for (int has_come = 0; has_come == 0; pause_ms(1)) {
      MPI_Test(&request, &has_come, MPI_STATUS_IGNORE);
    }
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (mpi.rank == 0) send(1);
  return 0;
}
