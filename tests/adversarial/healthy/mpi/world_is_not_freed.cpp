// A careless cleanup of rank 0 calls MPI_Comm_free for the world, which MPI refuses
// (MPI_ERRORS_RETURN). Everything goes on; rank 0 is late for a barrier.
// Naive view: rank 0 has freed the world.
// Expected: completes.
#include <mpi.h>
#include <unistd.h>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{
    .expect = completes(), .ranks = 2, .options = {"--stall-limit", "500ms"}, .by_mpiexec = true};

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Comm world = MPI_COMM_WORLD;
    if (MPI_Comm_free(&world) == MPI_SUCCESS) return 5;
    usleep(1'500'000);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
