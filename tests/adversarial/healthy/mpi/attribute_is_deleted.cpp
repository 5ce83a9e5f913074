// As attribute_reduces, but MPI_Comm_free deletes the attribute, and the function that does so also
// takes part in a barrier of MPI.
// Naive view: what happens inside a recorded call of MPI is MPI's, so rank 0 is one call behind.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/reduces.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

namespace {

int reduce(MPI_Comm, int, void* with, void*) {
  (*static_cast<const Reduces*>(with))();
  return MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  Reduces reduces{.world = mpi.join_by_nccl()};
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &twin);
  if (mpi.rank == 0) {
    int key = 0;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, reduce, &key, nullptr);
    MPI_Comm_set_attr(twin, key, &reduces);
  } else {
    reduces();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&twin);
  reduces.go_on(mpi.rank);
  int word = 0;
  for (int root = 0; root < 2; ++root) {
    if (mpi.rank == root) pause_ms(900);
    MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&word, 1, MPI_INT, root, MPI_COMM_WORLD);
  }
  return 0;
}
