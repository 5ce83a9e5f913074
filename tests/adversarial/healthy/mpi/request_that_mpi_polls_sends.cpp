// Rank 0 waits for a message and for a generalized request of MPICH's kind, whose end MPI finds by
// a function of the program. After a while the function sends what rank 1 waits for, which then
// sends the message.
// Naive view: what happens inside a recorded call of MPI is MPI's.
// Expected: completes.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

namespace {

MPI_Request requests[2];
bool was_sent = false;

int query(void*, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
int release(void*) { return MPI_SUCCESS; }
int cancel(void*, int) { return MPI_SUCCESS; }

int poll(void* end, MPI_Status*) {
  if (was_sent || !static_cast<const Deadline*>(end)->is_over()) return MPI_SUCCESS;
  was_sent = true;
  send(1, 3);
  MPI_Grequest_complete(requests[1]);
  return MPI_SUCCESS;
}
int wait_for_all(int, void** ends, double, MPI_Status* status) {
  while (!was_sent) poll(ends[0], status);
  return MPI_SUCCESS;
}

}  // namespace

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (mpi.rank == 0) {
    Deadline end = in_ms(1000);
    int word = 0;
    MPI_Irecv(&word, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[0]);
    MPIX_Grequest_start(query, release, cancel, poll, wait_for_all, &end, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    receive(0, 3);
    send(0, 4);
  }
  return 0;
}
