// In the last step rank 2 does not send its metrics to rank 1, and all but rank 1 go on to NCCL's
// all-reduce.
// Naive view: rank 1 alone is missing there, so it is to blame.
// Expected: deadlock; ranks 1 and 2 wait for each other.
#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = deadlock("cycle", {1, 2}), .ranks = 4, .by_mpiexec = true};

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  const ncclComm_t all = mpi.join_by_nccl(4);
  cudaStream_t stream = make_stream();
  float* x = device_floats();
  for (int step = 0; step < 3; ++step) {
    if (mpi.rank == 2 && step < 2) send(1);
    if (mpi.rank == 1) receive(2);
    all_reduce(all, stream, x);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
