// A library keeps a communicator of its own as an attribute of the program's, and a callback frees
// it with the program's. The next ones, which only ranks 0 and 1 make, get the two handles. Rank 1
// comes late to a barrier on each, and rank 2 waits for a message that rank 0 sends after them.
// Naive view: a handle means the library's communicator, in which rank 2 is a member too.
// Expected: completes.
#include <mpi.h>
#include <unistd.h>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = completes(), .ranks = 3, .by_mpiexec = true};

namespace {

int free_inner(MPI_Comm, int, void* inner, void*) {
  return MPI_Comm_free(static_cast<MPI_Comm*>(inner));
}

}  // namespace

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int key = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm outer = MPI_COMM_NULL;
  MPI_Comm inner = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &outer);
  MPI_Comm_dup(outer, &inner);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_inner, &key, nullptr);
  MPI_Comm_set_attr(outer, key, &inner);
  MPI_Comm_free(&outer);
  if (rank < 2) {
    const int members[2] = {0, 1};
    MPI_Group world;
    MPI_Group two;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &two);
    MPI_Comm pairs[2];
    for (MPI_Comm& pair : pairs) MPI_Comm_create_group(MPI_COMM_WORLD, two, 1, &pair);
    for (MPI_Comm pair : pairs) {
      if (rank == 1) usleep(2'000'000);
      MPI_Barrier(pair);
    }
  }
  int word = 0;
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
  if (rank == 2) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
