// Persistent requests, started alternately, with one side late; and a message that is cancelled.
// Expected: completes.
#include <mpi.h>
#include <unistd.h>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = completes(), .by_mpiexec = true};

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int out = rank;
  int in = 0;
  MPI_Request both[2];
  MPI_Send_init(&out, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &both[0]);
  MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &both[1]);
  for (int step = 0; step < 4; ++step) {
    if (step % 2 == rank) usleep(150'000);
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  MPI_Request never;
  MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 99, MPI_COMM_WORLD, &never);
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
  MPI_Finalize();
  return 0;
}
