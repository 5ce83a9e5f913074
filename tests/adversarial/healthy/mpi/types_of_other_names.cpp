// The ranks describe the same data by different types: two integers here, one pair of them there, a
// vector elsewhere. In turn, a rank is late.
// Naive view: counts and types differ, so the calls do not fit.
// Expected: completes.
// Must not say: anything about calls that do not fit.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = completes(),
                            .ranks = 3,
                            .by_mpiexec = true,
                            .says_not = {"mismatch", "do not belong"}};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&pair);
  MPI_Type_commit(&spread);
  int data[16] = {};
  int all[64] = {};
  for (int step = 0; step < 3; ++step) {
    const MPI_Datatype type = mpi.rank == 0 ? MPI_INT : mpi.rank == 1 ? pair : spread;
    const int count = mpi.rank == 0 ? 2 : 1;
    const auto late = [&](int which) {
      if (mpi.rank == (step + which) % 3) pause_ms(200);
    };
    late(0);
    MPI_Bcast(data, count, type, step, MPI_COMM_WORLD);
    late(1);
    MPI_Gather(data, count, type, all, 1, pair, step, MPI_COMM_WORLD);
    late(2);
    MPI_Allgather(data, count, type, all, 2, MPI_INT, MPI_COMM_WORLD);
    late(0);
    MPI_Scatter(all, 2, MPI_INT, data, count, type, step, MPI_COMM_WORLD);
    late(1);
    MPI_Alltoall(all, 1, pair, all + 32, 2, MPI_INT, MPI_COMM_WORLD);
    const int next = (mpi.rank + 1) % 3;
    const int before = (mpi.rank + 2) % 3;
    MPI_Request requests[2];
    MPI_Issend(data, count, type, next, 5, MPI_COMM_WORLD, &requests[0]);
    late(2);
    MPI_Irecv(all, 1, pair, before, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Type_free(&pair);
  MPI_Type_free(&spread);
  return 0;
}
