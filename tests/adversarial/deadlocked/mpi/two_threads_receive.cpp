// Two threads of rank 0 receive, one from each peer. Both peers wait for rank 0 in a barrier, which
// rank 0 calls only after its threads have ended.
// Expected: deadlock; a cycle through all three.
#include <mpi.h>

#include <thread>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{
    .expect = deadlock("cycle", {0, 1, 2}).or_as("deadlock", "missing_rank", {0}),
    .ranks = 3,
    .by_mpiexec = true};

int program(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const auto receive = [](int from) {
      int word = 0;
      MPI_Recv(&word, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    std::thread other(receive, 2);
    receive(1);
    other.join();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
