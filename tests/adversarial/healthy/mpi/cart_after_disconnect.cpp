// A solver library duplicates the world for its calls and disconnects it each time; between its
// calls the program makes a Cartesian communicator, which MPI may make of fewer ranks than the
// world has. Rank 2 is left over and waits for the result.
// Expected: completes.
#include <mpi.h>

#include <vector>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = completes(), .ranks = 3, .by_mpiexec = true};

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 3; ++step) {
    MPI_Comm library = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &library);
    MPI_Barrier(library);
    MPI_Comm_disconnect(&library);
    const int dims[] = {2};
    const int periods[] = {1};
    MPI_Comm line = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
    double result = 0;
    if (line != MPI_COMM_NULL) {
      std::vector<double> field(16 << 20, 1.0);
      MPI_Allreduce(MPI_IN_PLACE, field.data(), static_cast<int>(field.size()), MPI_DOUBLE, MPI_SUM,
                    line);
      result = field[0];
      MPI_Comm_free(&line);
    }
    MPI_Bcast(&result, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
