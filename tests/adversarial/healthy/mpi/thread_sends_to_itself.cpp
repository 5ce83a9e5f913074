// One thread of rank 0 waits in MPI_Recv for a message from the rank's other thread, which sleeps
// first. Rank 1 waits for rank 0 in a barrier.
// Expected: completes.
#include <mpi.h>
#include <unistd.h>

#include <thread>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = completes(), .by_mpiexec = true};

int program(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::thread sender([] {
      usleep(400'000);
      const int word = 7;
      MPI_Send(&word, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    });
    int word = 0;
    MPI_Recv(&word, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sender.join();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
