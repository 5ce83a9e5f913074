// Two halves of a job talk by an intercommunicator, whose barrier and broadcast concern the other
// half. Communicators of a group (MPI_Comm_create_group) and of a merge are used beside it; then
// the handles are freed and come back for recorded ones. In turn, a rank is late.
// Naive view: ranks of one half and the other have the same numbers.
// Expected: completes.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = completes(), .ranks = 4, .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const int side = mpi.rank / 2;
  int word = mpi.rank;
  const auto late = [&](int step) {
    if (mpi.rank == step % 4) pause_ms(200);
  };
  for (int round = 0; round < 4; ++round) {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm across = MPI_COMM_NULL;
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, side, mpi.rank, &own);
    late(round);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, side == 0 ? 2 : 0, round, &across);
    late(round + 1);
    MPI_Barrier(across);
    MPI_Bcast(&word, 1, MPI_INT,
              side != round % 2   ? 0
              : mpi.rank % 2 == 0 ? MPI_ROOT
                                  : MPI_PROC_NULL,
              across);
    MPI_Sendrecv_replace(&word, 1, MPI_INT, mpi.rank % 2, 3, mpi.rank % 2, 3, across,
                         MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(across, side, &merged);
    late(round + 2);
    MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_MAX, merged);
    if (mpi.rank != round) {
      MPI_Group all;
      MPI_Group three;
      MPI_Comm_group(MPI_COMM_WORLD, &all);
      MPI_Group_excl(all, 1, &round, &three);
      MPI_Comm_create_group(MPI_COMM_WORLD, three, 9, &some);
      MPI_Barrier(some);
      MPI_Comm_free(&some);
      MPI_Group_free(&all);
      MPI_Group_free(&three);
    }
    MPI_Comm again = MPI_COMM_NULL;
    MPI_Comm_free(&merged);
    MPI_Comm_free(&across);
    MPI_Comm_dup(own, &again);
    late(round + 3);
    MPI_Barrier(again);
    MPI_Comm_free(&again);
    MPI_Comm_free(&own);
  }
  return 0;
}
