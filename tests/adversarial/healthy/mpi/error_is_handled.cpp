// Rank 0 makes a call that MPI refuses. Its error handler takes its time and returns, and rank 0
// goes on to the message that rank 1 waits for.
// Naive view: who is in a receive waits for its message.
// Expected: completes.
#include <mpi.h>
#include <unistd.h>

#include "tests/adversarial/setup/trial.h"

constinit const adversarial::Trial trial{.expect = adversarial::completes(), .by_mpiexec = true};

static void tell(MPI_Comm* /*unused*/, int* /*unused*/, ...) { usleep(500'000); }

int program(int argc, char** argv) {
  int rank = 0;
  int byte = 0;
  MPI_Errhandler handler{};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_errhandler(tell, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(&byte, -1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&byte, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&byte, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
