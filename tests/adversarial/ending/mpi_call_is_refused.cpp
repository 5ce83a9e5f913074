// Rank 0 makes a call that MPI refuses, which ends the job: that is MPI's default. Rank 1 waits for
// rank 0.
// Naive view: who is in a receive waits for its message.
// Expected: fails; rank 0 is to blame.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = ends("fails", "", {0}), .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (mpi.rank == 0) {
    pause_ms(300);
    receive_wrongly(1);
  } else {
    receive(0);
  }
  return 0;
}
