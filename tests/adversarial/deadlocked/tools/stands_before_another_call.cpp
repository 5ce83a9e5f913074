// A library of the program stands before a function of MPI's that no rank calls. Both ranks receive
// from each other what neither sends.
// Naive view: a tool may make any call of MPI's instead of the program's, so nothing is known.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}), .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  int word[2] = {};
  const bool is_large = argc > 1;
  if (is_large) MPI_Alltoall(word, 1, MPI_INT, word, 1, MPI_INT, MPI_COMM_WORLD);
  receive(1 - mpi.rank);
  return 0;
}
