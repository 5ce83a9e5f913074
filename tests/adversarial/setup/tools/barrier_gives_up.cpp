// Waits in a barrier with a limit of 1.5 s.
#include <mpi.h>
#include <unistd.h>

extern "C" int MPI_Barrier(MPI_Comm communicator) {
  MPI_Request request;
  PMPI_Ibarrier(communicator, &request);
  int is_over = 0;
  for (int polls = 0; polls < 1500 && is_over == 0; ++polls) {
    PMPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
    if (is_over == 0) usleep(1000);
  }
  return is_over != 0 ? MPI_SUCCESS : MPI_ERR_PENDING;
}
