// Counts the calls of one of MPI's functions.
#include <mpi.h>

static int calls = 0;

extern "C" int MPI_Alltoall(const void* from, int sent, MPI_Datatype sent_as, void* to, int got,
                            MPI_Datatype got_as, MPI_Comm communicator) {
  ++calls;
  return PMPI_Alltoall(from, sent, sent_as, to, got, got_as, communicator);
}
