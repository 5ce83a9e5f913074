// Persistent collectives (MPI_Allreduce_init, MPI_Barrier_init), started in every step beside
// blocking and non-blocking ones and beside NCCL's. Their requests are freed, and the handles used
// again for non-blocking ones. In turn, a rank is late.
// Naive view: a collective that is not recorded shifts the slots of all that follow.
// Expected: completes.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = completes(), .ranks = 3, .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const ncclComm_t world = mpi.join_by_nccl(3);
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  int in = 0;
  int out = 0;
  const auto late = [&](int step) {
    if (mpi.rank == step % 3) pause_ms(150);
  };
  for (int round = 0; round < 2; ++round) {
    MPI_Request both[2];
    MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
    for (int step = 0; step < 3; ++step) {
      late(step);
      MPI_Startall(2, both);
      MPI_Bcast(&in, 1, MPI_INT, step, MPI_COMM_WORLD);
      late(step + 1);
      MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
      MPI_Request one = MPI_REQUEST_NULL;
      MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &one);
      all_reduce(world, stream, data);
      late(step + 2);
      MPI_Start(&both[1]);
      MPI_Request mixed[2] = {one, both[1]};
      MPI_Waitall(2, mixed, MPI_STATUSES_IGNORE);
      check(cudaStreamSynchronize(stream));
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
  }
  return 0;
}
