// Rank 0's server thread waits in MPI_Recv, where MPI spins. Its main thread sleeps until the
// process has used two seconds of processor time (setitimer, ITIMER_PROF), and then asks rank 1,
// which answers the server.
// Naive view: alarms by processor time stand still while a process waits; that none comes is
// assumed.
// Expected: completes.
#include <mpi.h>
#include <semaphore.h>
#include <sys/time.h>

#include <csignal>
#include <thread>

#include "tests/adversarial/setup/trial.h"

using namespace adversarial;

constinit const Trial trial{.expect = completes(), .by_mpiexec = true};

static sem_t is_over;

int program(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sem_init(&is_over, 0, 0);
  int word = 0;
  if (rank == 0) {
    std::signal(SIGPROF, [](int) { sem_post(&is_over); });
    std::thread server([] {
      int answer = 0;
      MPI_Recv(&answer, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = 2, .tv_usec = 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    while (sem_wait(&is_over) != 0) {
    }
    MPI_Send(&word, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    server.join();
  } else {
    MPI_Recv(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
