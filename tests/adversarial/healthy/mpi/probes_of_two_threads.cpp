// Two threads of rank 0 take tasks by MPI_Mprobe and MPI_Mrecv, from any rank and with any tag;
// the others send them synchronously, and wait for an answer with MPI_Waitany beside a barrier that
// is under way (MPI_Ibarrier). Rank 0's main thread joins the barrier late.
// Naive view: a message that was probed has not been received, so its sender waits for ever.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{
    .expect = completes(), .ranks = 3, .options = kStandsBriefly, .by_mpiexec = true};

int program(int argc, char** argv) {
  int provided = 0;
  int self = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  constexpr int kTasks = 8;
  if (self == 0) {
    const auto serve = [] {
      for (int i = 0; i < kTasks; ++i) {
        MPI_Message message{};
        MPI_Status status{};
        int word = 0;
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        if (i % 3 == 0) pause_ms(100);
        MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        send(status.MPI_SOURCE, 1000 + status.MPI_TAG);
      }
    };
    std::thread first(serve);
    std::thread second(serve);
    pause_ms(900);
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    first.join();
    second.join();
  } else {
    MPI_Request barrier = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    for (int task = 0; task < kTasks; ++task) {
      int word = 0;
      MPI_Ssend(&task, 1, MPI_INT, 0, task, MPI_COMM_WORLD);
      MPI_Request both[2] = {barrier, MPI_REQUEST_NULL};
      MPI_Irecv(&word, 1, MPI_INT, 0, 1000 + task, MPI_COMM_WORLD, &both[1]);
      int which = -1;
      while (which != 1) MPI_Waitany(2, both, &which, MPI_STATUS_IGNORE);
      barrier = both[0];
    }
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
