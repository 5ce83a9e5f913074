// Rank 2 leaves out the broadcast of the learning rate and goes on to NCCL's all-reduce. MPI lets
// rank 2 pass on to rank 3 what rank 0 sends, so rank 3 waits in the broadcast, and the others in
// the all-reduce for rank 3. Naive view: rank 3's root has come, so nothing holds rank 3, and
// nobody is to blame. Expected: no proof, because who passes on what is up to MPI; a stall that
// blames rank 2.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {2}).or_as("stall", "missing_rank", {2}),
    .ranks = 4,
    .options = {"--stall-limit", "3s"},
    .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const ncclComm_t all = mpi.join_by_nccl(4);
  cudaStream_t stream = make_stream();
  float* x = device_floats();
  double rate = 0.1;
  for (int step = 0; step < 3; ++step) {
    if (mpi.rank != 2 || step < 2) MPI_Bcast(&rate, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    all_reduce(all, stream, x);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
