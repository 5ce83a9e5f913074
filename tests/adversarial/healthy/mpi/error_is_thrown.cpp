// MPI refuses a call of rank 0. Its error handler throws an exception, which rank 0 catches; then
// it computes for a while and sends what rank 1 waits for. Naive view: what a recorded call does
// ends when it returns. Expected: completes.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = completes(), .by_mpiexec = true};

struct Refused {};
static void tell(MPI_Comm* /*unused*/, int* /*unused*/, ...) { throw Refused(); }

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  handle_errors_by(tell);
  MPI_Barrier(MPI_COMM_WORLD);
  if (mpi.rank == 0) {
    try {
      receive_wrongly(1);
      return 5;
    } catch (const Refused&) {
      for (const Deadline end = in_ms(1200); !end.is_over();) {
      }
    }
    send(1);
  } else {
    receive(0);
  }
  return 0;
}
