// Rank 1 lets rank 0 go on by SIGUSR1, which libraries of MPI handle for their own use and which
// rank 0 handles itself.
// Naive view: the handler is MPI's.
// Expected: completes.
#include <mpi.h>
#include <semaphore.h>
#include <unistd.h>

#include <csignal>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = completes(), .options = kStandsForLong, .by_mpiexec = true};

static sem_t asked;

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sem_init(&asked, 0, 0);
  if (rank == 0) std::signal(SIGUSR1, [](int) { sem_post(&asked); });
  int first = getpid();
  MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    while (sem_wait(&asked) != 0) {
    }
  } else {
    usleep(900'000);
    kill(first, SIGUSR1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
