// An operator of the program's own makes an all-reduce of NCCL inside MPI_Reduce on rank 0,
// which combines what rank 1 has sent. Rank 1 makes it plainly.
// Naive view: what happens inside a recorded call of MPI is MPI's, so rank 0 is one call behind.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/reduces.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

namespace {

const Reduces* reduces_once = nullptr;

void add(void* from, void* to, int* count, MPI_Datatype*) {
  if (reduces_once != nullptr) (*reduces_once)();
  reduces_once = nullptr;
  for (int i = 0; i < *count; ++i) static_cast<int*>(to)[i] += static_cast<int*>(from)[i];
}

}  // namespace

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const Reduces reduces{.world = mpi.join_by_nccl()};
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create(add, 0, &own);
  if (mpi.rank == 0) reduces_once = &reduces;
  int one = 1;
  int sum = 0;
  MPI_Reduce(&one, &sum, 1, MPI_INT, own, 0, MPI_COMM_WORLD);
  if (mpi.rank == 1 || reduces_once != nullptr) reduces();
  reduces.go_on(mpi.rank);
  return sum == (mpi.rank == 0 ? 2 : 0) ? 0 : 6;
}
