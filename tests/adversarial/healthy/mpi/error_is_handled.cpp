// Rank 0 makes a call that MPI refuses. Its error handler takes its time and returns, and rank 0
// goes on to the message that rank 1 waits for.
// Naive view: who is in a receive waits for its message.
// Expected: completes.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = completes(), .by_mpiexec = true};

static void tell(MPI_Comm* /*unused*/, int* /*unused*/, ...) { pause_ms(500); }

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  handle_errors_by(tell);
  MPI_Barrier(MPI_COMM_WORLD);
  if (mpi.rank == 0) {
    receive_wrongly(1);
    send(1);
  } else {
    receive(0);
  }
  return 0;
}
