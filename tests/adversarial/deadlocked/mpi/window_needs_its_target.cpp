// Rank 1 puts a number into rank 0's window under a lock (MPI_Win_unlock waits for the put), and
// then joins an all-reduce of NCCL. Rank 0 is in that all-reduce, outside MPI, and so moves
// nothing. Naive view: one-sided means that the target need do nothing. Expected: no proof: windows
// are not recorded. A stall in which rank 1 is in host code.
#include <vector>

#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).or_as("stall", "host_stuck", {1}),
                            .options = {"--stall-limit", "3s"},
                            .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const ncclComm_t world = mpi.join_by_nccl();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  std::vector<int> shown(4);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(shown.data(), 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                 &window);
  if (mpi.rank == 1) {
    int word = 7;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Accumulate(&word, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(0, window);
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  MPI_Win_free(&window);
  return 0;
}
