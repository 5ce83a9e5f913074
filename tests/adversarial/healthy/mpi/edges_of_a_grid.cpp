// Ranks of a line exchange with their neighbours; those at the ends have MPI_PROC_NULL for one.
// They wait for empty lists of requests too, and on MPI_COMM_SELF. In turn, a rank is late.
// Naive view: no such rank will ever send.
// Expected: completes.
#include <mpi.h>
#include <unistd.h>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = completes(), .ranks = 3, .by_mpiexec = true};

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  const int down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int in[3] = {};
  for (int step = 0; step < 4; ++step) {
    if (rank == step % 3) usleep(300'000);
    MPI_Sendrecv(&rank, 1, MPI_INT, up, 1, &in[0], 1, MPI_INT, down, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&in[2], 1, MPI_INT, down, 2, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request requests[5] = {};
    requests[4] = MPI_REQUEST_NULL;
    MPI_Irecv(&in[0], 1, MPI_INT, up, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, down, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, up, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&rank, 1, MPI_INT, down, 3, MPI_COMM_WORLD, &requests[3]);
    if (rank == (step + 1) % 3) usleep(300'000);
    int which = 0;
    MPI_Waitany(5, requests, &which, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; ++i) MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    MPI_Waitany(5, requests, &which, MPI_STATUS_IGNORE);
    MPI_Probe(MPI_PROC_NULL, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&in[0], 1, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &in[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
