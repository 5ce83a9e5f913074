// MPI refuses a call of rank 0. Its error handler throws an exception, which rank 0 catches; then
// it computes for a while and sends what rank 1 waits for. Naive view: what a recorded call does
// ends when it returns. Expected: completes.
#include <mpi.h>

#include <chrono>

#include "tests/adversarial/setup/trial.h"

constinit const adversarial::Trial trial{.expect = adversarial::completes(), .by_mpiexec = true};

namespace {

struct Refused {};
void tell(MPI_Comm* /*unused*/, int* /*unused*/, ...) { throw Refused(); }

void compute() {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + std::chrono::milliseconds(1200); Clock::now() < end;) {
  }
}

}  // namespace

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
    try {
      MPI_Recv(&byte, -1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      return 5;
    } catch (const Refused&) {
      compute();
    }
    MPI_Send(&byte, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&byte, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
