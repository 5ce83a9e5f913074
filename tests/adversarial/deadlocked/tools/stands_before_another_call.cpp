// A library of the program stands before a function of MPI's that no rank calls. Both ranks receive
// from each other what neither sends.
// Naive view: a tool may make any call of MPI's instead of the program's, so nothing is known.
// Expected: deadlock; a cycle of both.
#include <mpi.h>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}), .by_mpiexec = true};

int program(int argc, char** argv) {
  int rank = 0;
  int word[2] = {};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool is_large = argc > 1;
  if (is_large) MPI_Alltoall(word, 1, MPI_INT, word, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Recv(word, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
