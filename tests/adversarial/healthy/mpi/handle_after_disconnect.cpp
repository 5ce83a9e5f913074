// A communicator is given up by MPI_Comm_disconnect. The next one, which only ranks 0 and 1 make,
// gets its handle. Rank 1 comes late to a barrier there, and rank 2 waits for a message that rank 0
// sends after it.
// Naive view: the handle means the old communicator, in which rank 2 is a member too.
// Expected: completes.
#include <mpi.h>
#include <unistd.h>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = completes(), .ranks = 3, .by_mpiexec = true};

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int word = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_disconnect(&all);
  if (rank < 2) {
    const int members[2] = {0, 1};
    MPI_Group world;
    MPI_Group two;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &two);
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm_create_group(MPI_COMM_WORLD, two, 1, &pair);
    if (rank == 1) usleep(4'000'000);
    MPI_Barrier(pair);
  }
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
  if (rank == 2) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
